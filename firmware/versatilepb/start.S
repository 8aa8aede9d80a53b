@ Reset, exception vectors, and the way into C++. ARM state, MMU and caches off, as the loader leaves the core.

    .syntax unified
    .arm
    .fpu    softvfp

    .equ    MODE_IRQ, 0xd2          @ FIQ and IRQ masked in all of them
    .equ    MODE_SVC, 0xd3
    .equ    MODE_ABT, 0xd7
    .equ    MODE_UND, 0xdb

    .section .start, "ax"

@ Copied to address 0. Each vector loads its target from the table that is copied along.
vectors:
    .rept   8
    ldr     pc, [pc, #24]
    .endr
    .word   start
    .word   undefined
    .word   software_interrupt
    .word   prefetch_abort
    .word   data_abort
    .word   start                   @ reserved
    .word   irq
    .word   fiq
vectors_end:

    .global start
start:
    msr     cpsr_c, #MODE_IRQ
    ldr     sp, =irq_stack_top
    msr     cpsr_c, #MODE_ABT
    ldr     sp, =fault_stack_top
    msr     cpsr_c, #MODE_UND
    ldr     sp, =fault_stack_top
    msr     cpsr_c, #MODE_SVC
    ldr     sp, =stack_top

    ldr     r0, =vectors
    ldr     r1, =vectors_end
    mov     r2, #0
copy_vectors:
    ldr     r3, [r0], #4
    str     r3, [r2], #4
    cmp     r0, r1
    blo     copy_vectors

    ldr     r0, =bss_start
    ldr     r1, =bss_end
    mov     r2, #0
clear_bss:
    cmp     r0, r1
    strlo   r2, [r0], #4
    blo     clear_bss

    ldr     r4, =init_array_start
    ldr     r5, =init_array_end
construct:
    cmp     r4, r5
    bhs     constructed
    ldr     r0, [r4], #4
    blx     r0
    b       construct
constructed:
    bl      main
    bl      exit_with               @ does not return

irq:
    sub     lr, lr, #4
    push    {r0-r3, r12, lr}
    bl      interrupt
    ldmfd   sp!, {r0-r3, r12, pc}^  @ restores the interrupted mode, too

@ What must not happen: fault(what, address of the instruction), which reports and does not return.
undefined:
    ldr     r0, =what_undefined
    sub     r1, lr, #4
    b       fault
software_interrupt:
    ldr     r0, =what_software_interrupt
    sub     r1, lr, #4
    b       fault
prefetch_abort:
    ldr     r0, =what_prefetch_abort
    sub     r1, lr, #4
    b       fault
data_abort:
    ldr     r0, =what_data_abort
    sub     r1, lr, #8
    b       fault
fiq:
    ldr     sp, =fault_stack_top
    ldr     r0, =what_fiq
    sub     r1, lr, #4
    b       fault

@ semihosting_call(operation, parameter): the debugger takes the SVC and leaves the result in r0.
    .global semihosting_call
semihosting_call:
    push    {r4, lr}                @ an SVC in the mode of SVCs
    svc     #0x123456
    pop     {r4, pc}

    .section .rodata, "a"
what_undefined:          .asciz "undefined instruction"
what_software_interrupt: .asciz "software interrupt"
what_prefetch_abort:     .asciz "prefetch abort"
what_data_abort:         .asciz "data abort"
what_fiq:                .asciz "FIQ"

    .section .note.GNU-stack, "", %progbits
