/* What drives contacts in lanes through a step, in space and in the plane: passes over blocks and bodies on all
 * threads, the sub-steps, the judgement. Included by solve.h and flat_solve.h, which have what a pass does with a block
 * and a body.
 *
 * A pass goes colour by colour: blocks of a colour move no body in common, so that any thread may take any of them.
 * What is added up over blocks is kept by block, and added in their order. */
#ifndef ASHI_SOLVE_WIDE_DRIVE_H
#define ASHI_SOLVE_WIDE_DRIVE_H

#define CHUNK  8   /* blocks that one thread takes at once, ... */
#define MANY   24  /* ... of at least so many of a colour: fewer are done before others have come; and ... */
#define BODIES 256 /* ... bodies */

#define PLACINGS 2 /* passes that remove overlap, back and there, after the first, which ends a sub-step */

/* A pass under way. */
typedef enum pass { FILL, SWEEP, END, PLACE, PAIR, COMPARE } pass;
typedef enum body_pass { PREPARE, START, PUSH, MOVE, FIND_VELOCITY, LET_MOVE, STORE } body_pass;

typedef struct run {
    lanes *s;
    pass pass;
    body_pass body_pass;
    uint32_t first; /* block */
    real lead;
    bool ends;      /* the last sub-step does */
    double *merits; /* by group */
    errors *errors; /* by group */
    ashi_wide_solution *out;
} run;

ASHI_MERGED void run_blocks(const run *r, uint32_t begin, uint32_t end)
{
    const lanes *s = r->s;
    switch (r->pass) {
    case FILL:
        for (uint32_t i = begin; i < end; i++) {
            fill_block(s, i);
            sum_block(s, i);
        }
        break;
    case SWEEP:
        for (uint32_t i = begin; i < end; i++)
            sweep_block(s, s->back ? begin + (end - 1 - i) : i);
        break;
    case END:
        for (uint32_t i = begin; i < end; i++) {
            end_block(s, i);
            if (r->ends)
                sum_block(s, i);
        }
        break;
    case PLACE:
        for (uint32_t i = begin; i < end; i++)
            place_again(s, s->back ? begin + (end - 1 - i) : i);
        break;
    case PAIR:
        for (uint32_t i = begin; i < end; i++)
            for (uint32_t g = 0; g < GROUPS; g++)
                r->merits[i * GROUPS + g] = pair_block(s, i, (int)g);
        break;
    case COMPARE:
        for (uint32_t i = begin; i < end; i++) {
            for (uint32_t g = 0; g < GROUPS; g++)
                compare_block(s, i, (int)g, &r->errors[i * GROUPS + g]);
            note_pushes(s, &s->blocks[i], r->out->pushes);
        }
        break;
    }
}

ASHI_MERGED void run_bodies(const run *r, uint32_t begin, uint32_t end)
{
    const lanes *s = r->s;
    const uint32_t *active = s->task->active;
    switch (r->body_pass) {
    case PREPARE:
        for (uint32_t i = begin; i < end; i++)
            prepare_body(s, active[i]);
        break;
    case START:
        for (uint32_t i = begin; i < end; i++)
            start_body(s, active[i]);
        break;
    case PUSH:
        for (uint32_t i = begin; i < end; i++)
            push_body(s, active[i], r->lead);
        break;
    case MOVE:
        for (uint32_t i = begin; i < end; i++)
            move_body(s, active[i]);
        break;
    case FIND_VELOCITY:
        for (uint32_t i = begin; i < end; i++)
            find_velocity(s, active[i]);
        break;
    case LET_MOVE:
        for (uint32_t i = begin; i < end; i++)
            let_move(s, active[i]);
        break;
    case STORE:
        for (uint32_t i = begin; i < end; i++)
            store_body(s, active[i], r->out);
        break;
    }
}

/* Each three times, by the machine's registers; sixteen lanes are for the widest alone. */
ASHI_WIDEST static void blocks_widest(const run *r, uint32_t begin, uint32_t end)
{
    run_blocks(r, begin, end);
}

ASHI_WIDEST static void bodies_widest(const run *r, uint32_t begin, uint32_t end)
{
    run_bodies(r, begin, end);
}

typedef void (*some)(const run *r, uint32_t begin, uint32_t end);

#if ASHI_LANES == 16
static const some blocks_by_width[] = {blocks_widest, blocks_widest, blocks_widest};
static const some bodies_by_width[] = {bodies_widest, bodies_widest, bodies_widest};
#else
static void blocks_any(const run *r, uint32_t begin, uint32_t end)
{
    run_blocks(r, begin, end);
}

ASHI_WIDE static void blocks_wide(const run *r, uint32_t begin, uint32_t end)
{
    run_blocks(r, begin, end);
}

static void bodies_any(const run *r, uint32_t begin, uint32_t end)
{
    run_bodies(r, begin, end);
}

ASHI_WIDE static void bodies_wide(const run *r, uint32_t begin, uint32_t end)
{
    run_bodies(r, begin, end);
}

static const some blocks_by_width[] = {blocks_any, blocks_wide, blocks_widest};
static const some bodies_by_width[] = {bodies_any, bodies_wide, bodies_widest};
#endif

static void some_blocks(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const run *r = data;
    (void)worker;
    blocks_by_width[r->s->task->width](r, r->first + begin, r->first + end);
}

static void some_bodies(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const run *r = data;
    (void)worker;
    bodies_by_width[r->s->task->width](r, begin, end);
}

/* Colour by colour; what found no colour on one thread. */
static void go_through(lanes *s, pass which, run r)
{
    const ashi_wide_order *o = &s->order;
    bool back = (which == SWEEP || which == PLACE) && s->back;
    r.s = s;
    r.pass = which;
    for (uint32_t i = 0; i < o->colour_count; i++) {
        uint32_t c = back ? o->colour_count - 1 - i : i, count = o->first_block[c + 1] - o->first_block[c];
        r.first = o->first_block[c];
        if (count < MANY || c >= o->serial_colour)
            some_blocks(0, count, 0, &r);
        else
            ashi_parallel_for(s->task->tasks, count, CHUNK, some_blocks, &r);
    }
}

static void for_bodies(lanes *s, body_pass which, run r)
{
    r.s = s;
    r.body_pass = which;
    ashi_parallel_for(s->task->tasks, s->task->active_count, BODIES, some_bodies, &r);
}

/* ---- the whole ---- */

/* After the first sub-step, `before` is the last step's; after the last there is none to come. */
static real lead_of(const lanes *s, uint32_t number)
{
    return number > 0 && number + 1 < s->task->substeps ? (real)ASHI_SOFT_LEAD : 0;
}

static void take_substep(lanes *s, uint32_t number)
{
    s->elapsed = (real)(s->task->h / s->task->substeps * number);
    for_bodies(s, PUSH, (run){.lead = number > 0 ? lead_of(s, number - 1) : 0});
    for (uint32_t i = 0; i < ASHI_SOFT_SWEEPS; i++) {
        s->first = i == 0;
        s->last = i + 1 == ASHI_SOFT_SWEEPS;
        s->back = (number + i) & 1;
        go_through(s, SWEEP, (run){0});
    }
    s->elapsed = (real)(s->task->h / s->task->substeps * (number + 1));
    s->lead = lead_of(s, number);
    for_bodies(s, MOVE, (run){0});
    go_through(s, END, (run){.ends = number + 1 == s->task->substeps});
    for (uint32_t i = 0; i < PLACINGS; i++) {
        s->back = i % 2 == 0;
        go_through(s, PLACE, (run){0});
    }
}

/* A point of the set. */
static uint32_t point_at(const lanes *s, uint32_t block, const errors *e)
{
    const ashi_wide_entry *entry = &s->task->entries[s->blocks[block].entry[e->lane]];
    uint32_t point = entry->first;
    for (uint32_t bits = entry->points, k = 0, i = 0; bits != 0; bits >>= 1, i++)
        if ((bits & 1) && k++ == e->point)
            point = entry->first + i;
    return point;
}

static bool judge(lanes *s, ashi_wide_solution *out)
{
    uint32_t blocks = s->order.block_count, groups = blocks * GROUPS, worst = 0;
    double largest2 = -1;
    run r = {.merits = ashi_arena_take_array(s->task->arena, groups, sizeof *r.merits),
             .errors = ashi_arena_take_array(s->task->arena, groups, sizeof *r.errors),
             .out = out,
             .s = s,
             .pass = COMPARE};
    if (r.merits == NULL || r.errors == NULL)
        return false;
    go_through(s, PAIR, r);
    for_bodies(s, LET_MOVE, r);
    ashi_parallel_for(s->task->tasks, blocks, CHUNK, some_blocks, &r);
    for (uint32_t i = 0; i < groups; i++) {
        out->theta += r.merits[i] / 2;
        out->sum += r.errors[i].sum;
        out->friction_work += s->friction_works[i];
        if (!(r.errors[i].largest2 <= largest2)) {
            largest2 = r.errors[i].largest2;
            worst = i;
        }
    }
    out->largest = largest2 > 0 ? sqrt(largest2) : 0;
    out->judged = s->task->point_count;
    out->worst_point = point_at(s, worst / GROUPS, &r.errors[worst]);
    return true;
}

static bool solve(const ashi_wide_task *task, ashi_wide_solution *out)
{
    lanes s = {.task = task, .h = (real)(task->h / task->substeps), .inverse_h = (real)(task->substeps / task->h)};
    *out = (ashi_wide_solution){0};
    if (!take_memory(&s, out))
        return false;
    for_bodies(&s, PREPARE, (run){0});
    go_through(&s, FILL, (run){0});
    for_bodies(&s, START, (run){0});
    for (uint32_t i = 0; i < task->substeps; i++)
        take_substep(&s, i);
    for_bodies(&s, FIND_VELOCITY, (run){0});
    out->colours = s.order.colour_count;
    out->blocks = s.order.block_count;
    out->blocks_at = s.blocks;
    out->points_at = s.points;
    out->pasts_at = s.pasts;
    bool judged = judge(&s, out);
    for_bodies(&s, STORE, (run){.out = out});
    return judged;
}

#endif
