/* A message is made once and sent to many: it counts its holders. A box is an array with a moving start, which begins
 * again when it runs empty or its first half is used up, so that it does not grow with what has passed through it. */
#include "app/viewer/mailbox.h"

#include <string.h>

view_mail *view_mail_make(const void *bytes, size_t size, bool is_text)
{
    view_mail *mail = size <= SIZE_MAX - sizeof *mail ? ashi_alloc(sizeof *mail + size) : NULL;
    if (mail == NULL)
        return NULL;
    atomic_init(&mail->holders, 1);
    mail->is_text = is_text;
    mail->size = size;
    if (size > 0)
        memcpy(mail->bytes, bytes, size);
    return mail;
}

view_mail *view_mail_hold(view_mail *mail)
{
    atomic_fetch_add(&mail->holders, 1);
    return mail;
}

void view_mail_release(view_mail *mail)
{
    if (mail != NULL && atomic_fetch_sub(&mail->holders, 1) == 1)
        ashi_dealloc(mail);
}

uint32_t view_mailbox_count(const view_mailbox *box)
{
    return box->mail.count - box->first;
}

/* Moves what waits to the start. */
static void close_up(view_mailbox *box)
{
    uint32_t count = view_mailbox_count(box);
    if (count > 0)
        memmove(box->mail.data, box->mail.data + box->first, count * sizeof *box->mail.data);
    box->mail.count = count;
    box->first = 0;
}

bool view_mailbox_put(view_mailbox *box, view_mail *mail, size_t bytes_most)
{
    if (mail->size > bytes_most || box->bytes > bytes_most - mail->size || !ashi_array_extend(&box->mail))
        return false;
    box->mail.data[box->mail.count - 1] = view_mail_hold(mail);
    box->bytes += mail->size;
    return true;
}

view_mail *view_mailbox_take(view_mailbox *box)
{
    if (view_mailbox_count(box) == 0)
        return NULL;
    view_mail *mail = box->mail.data[box->first++];
    box->bytes -= mail->size;
    if (2 * box->first >= box->mail.count)
        close_up(box);
    return mail;
}

void view_mailbox_release(view_mailbox *box)
{
    for (uint32_t i = box->first; i < box->mail.count; i++)
        view_mail_release(box->mail.data[i]);
    ashi_array_release(&box->mail);
    box->first = 0;
    box->bytes = 0;
}
