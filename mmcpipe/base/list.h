#pragma once
// An intrusive doubly linked list: the elements bring the links, so putting one in or taking one out allocates nothing.

#include <cstddef>

namespace mmcpipe::base {

/// Base of what can stand in a `List`. In one list at a time.
class ListNode {
public:
    ListNode() = default;
    ListNode(const ListNode&) = delete;
    ListNode& operator=(const ListNode&) = delete;

    bool linked() const { return next_ != nullptr; }

    /// Takes the node out of the list that it stands in; nothing if in none.
    void unlink() {
        if (!linked()) return;
        next_->previous_ = previous_;
        previous_->next_ = next_;
        next_ = previous_ = nullptr;
    }

private:
    template <class T>
    friend class List;

    void link_before(ListNode& other) {
        previous_ = other.previous_;
        next_ = &other;
        previous_->next_ = this; // NOLINT(clang-analyzer-core.NullDereference): in a ring one is always before
        other.previous_ = this;
    }

    ListNode* next_ = nullptr;
    ListNode* previous_ = nullptr;
};

/// A queue of `T`, where T derives from ListNode. Owns nothing.
template <class T>
class List {
public:
    List() { head_.next_ = head_.previous_ = &head_; }
    List(const List&) = delete;
    List& operator=(const List&) = delete;

    bool empty() const { return head_.next_ == &head_; }

    /// The first element, or nullptr.
    T* front() { return empty() ? nullptr : static_cast<T*>(head_.next_); }

    /// The last element, or nullptr.
    T* back() { return empty() ? nullptr : static_cast<T*>(head_.previous_); }

    /// The element after `element`, or nullptr.
    T* after(T& element) {
        ListNode* next = static_cast<ListNode&>(element).next_;
        return next == &head_ ? nullptr : static_cast<T*>(next);
    }

    /// The element before `element`, or nullptr.
    T* before(T& element) {
        ListNode* previous = static_cast<ListNode&>(element).previous_;
        return previous == &head_ ? nullptr : static_cast<T*>(previous);
    }

    void push_back(T& element) { static_cast<ListNode&>(element).link_before(head_); }
    void push_front(T& element) { static_cast<ListNode&>(element).link_before(*head_.next_); }
    void insert_before(T& position, T& element) { static_cast<ListNode&>(element).link_before(position); }

    /// Takes out the first element; nullptr if there is none.
    T* pop_front() {
        T* first = front();
        if (first != nullptr) first->unlink();
        return first;
    }

    /// Moves all elements of `other` to the end of this list.
    void take(List& other) {
        if (other.empty()) return;
        ListNode* first = other.head_.next_;
        ListNode* last = other.head_.previous_;
        other.head_.next_ = other.head_.previous_ = &other.head_;
        first->previous_ = head_.previous_;
        head_.previous_->next_ = first;
        last->next_ = &head_;
        head_.previous_ = last;
    }

private:
    ListNode head_;
};

} // namespace mmcpipe::base
