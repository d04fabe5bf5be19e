/* Messages on their way to pages: bytes that several may share, and the queue of one page. */
#ifndef CLI_VIEW_MAILBOX_H
#define CLI_VIEW_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* A message. Its bytes never change; who holds it, on whatever thread, may read them. */
typedef struct view_mail {
    atomic_uint holders;
    bool is_text;
    size_t size;
    unsigned char bytes[];
} view_mail;

/* A copy of the bytes with one holder; null when there is no memory. */
view_mail *view_mail_make(const void *bytes, size_t size, bool is_text);
view_mail *view_mail_hold(view_mail *mail);
/* The last holder frees it. Null is allowed. */
void view_mail_release(view_mail *mail);

/* What a page still has to get, in order. A zeroed one is empty. */
typedef struct view_mailbox {
    ASHI_ARRAY(view_mail *) mail;
    uint32_t first; /* those before it are taken */
    size_t bytes;   /* of those that wait */
} view_mailbox;

/* Holds the mail. False when the box would hold more than `bytes_most`, or there is no memory. */
bool view_mailbox_put(view_mailbox *box, view_mail *mail, size_t bytes_most);
/* The oldest, which the caller then holds; null when there is none. */
view_mail *view_mailbox_take(view_mailbox *box);
uint32_t view_mailbox_count(const view_mailbox *box);
void view_mailbox_release(view_mailbox *box);

#endif
