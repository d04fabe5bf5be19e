/* Inside the direct solver: the graph of bodies and blocks, the order of elimination, the factor and its memory.
 *
 * Nodes are units, the numbers -lambda of a block's equality rows or of one of them, and hubs, bodies with many rows,
 * six numbers z each. All other bodies are light: taken out of the system beforehand, they leave -(J F)(J F)^T between
 * the units that act on them, which is less work than a body's node as long as these are few. Nodes have numbers
 * (bodies first, then units) and places (in the order of elimination). Of the symmetric matrix the diagonal blocks are
 * kept and the blocks right of them, U, place by place; the factor replaces them:
 *
 *   D_k <- D_k^-1,   V_kl = D_k^-1 U_kl,   D_l <- D_l - V_kl^T U_kl,   U_il <- U_il - V_ki^T U_kl. */
#ifndef ASHI_SOLVE_DIRECT_PARTS_H
#define ASHI_SOLVE_DIRECT_PARTS_H

#include "base/array.h"
#include "solve/direct/direct.h"

#define ASHI_DIRECT_SIZE  6          /* of a node at most; of a body */
#define ASHI_DIRECT_LIGHT 10         /* rows that act on a light body at most (docs/direct.md) */
#define ASHI_DIRECT_NONE  UINT32_MAX /* no body (it is immovable), no block */

/* A block with equality rows. */
typedef struct ashi_direct_block {
    uint32_t body[2]; /* among the bodies of the graph, or none */
    uint32_t rows;    /* bit i: row i of the block is an equality */
} ashi_direct_block;

typedef ASHI_ARRAY(ashi_direct_block) ashi_direct_blocks;

/* Where blocks stand in the order of elimination. A block has a sound pivot after a body that can move in all
 * directions of its rows. Where small pivots are expected, units are rows: inverses of nearly singular blocks would
 * lose what scalar pivots keep. */
typedef enum ashi_direct_rule {
    ASHI_DIRECT_QUICK,        /* blocks of the forest after their lower body, others as soon as both bodies are out */
    ASHI_DIRECT_LOOPS_LAST,   /* rows of the forest after their lower body, others at the end */
    ASHI_DIRECT_BODIES_FIRST, /* all rows after both of their bodies */
    ASHI_DIRECT_RULES
} ashi_direct_rule;

/* How nodes are ordered: along the tree, bodies by AMD, or, where all bodies are light, blocks by AMD. */
typedef enum ashi_direct_ordering {
    ASHI_DIRECT_ALONG_TREE,
    ASHI_DIRECT_BODIES_BY_DEGREE,
    ASHI_DIRECT_BLOCKS_BY_DEGREE
} ashi_direct_ordering;

/* An order of elimination and the blocks right of the diagonal in it. */
typedef struct ashi_direct_pattern {
    uint32_t node_count;
    uint32_t *order; /* node by place */
    uint32_t *place; /* place by node; none for light bodies */
    uint32_t *begin; /* by place, and one more: where its entries begin */
    uint32_t *right; /* by entry: the place of the later node; ascending */
    double cost;     /* multiplications of a factorization, about */
} ashi_direct_pattern;

/* Where a unit's rows on a hub go in the matrix. */
typedef struct ashi_direct_target {
    uint32_t at;     /* in `upper`; none: the body is light or immovable */
    bool transposed; /* the body comes first: J^T */
} ashi_direct_target;

/* What a light body leaves between two units: minus the product of their rows on it. */
typedef struct ashi_direct_product {
    uint32_t row, other_row; /* the first rows of the earlier and of the later unit */
    uint32_t at;             /* in `upper` */
    uint8_t side, other_side;
    uint8_t size, other_size;
    bool first; /* nothing was put there before */
} ashi_direct_product;

/* Who acts on whom, while a plan is made. */
typedef struct ashi_direct_shares {
    uint32_t (*body)[2]; /* by unit */
    uint32_t *begin;     /* by body, and one more: its units begin */
    uint32_t *unit;
    bool *light; /* by body */
} ashi_direct_shares;

/* A pattern and the memory of a factor in it. */
typedef struct ashi_direct_plan {
    ashi_arena *memory; /* null: not made */
    bool by_rows;       /* units are rows, not blocks */
    uint32_t unit_count;
    ashi_direct_pattern pattern;
    uint8_t *size;  /* by place */
    uint8_t *equal; /* by place: its size, if all of its neighbours have the same; else 0 */
    uint32_t hub_count;
    uint32_t *start;       /* by place: in a vector of unknowns */
    uint32_t *diagonal_at; /* by place: in `diagonal` */
    uint32_t *upper_at;    /* by entry, and one more: in `upper` */
    uint32_t *filled;      /* entries that are zero at first */
    uint32_t filled_count, unknowns;
    ashi_direct_target (*target)[2]; /* by unit and side */
    ashi_direct_product *products;
    uint32_t product_count;
    uint32_t *row_place;      /* by row: in a vector of unknowns */
    double *diagonal, *upper; /* D^-1, V */
    double *column;           /* U of one place */
    double *unknown;          /* in the order of places */
} ashi_direct_plan;

struct ashi_direct {
    /* of the graph that the plans are for, and of the problem at hand */
    ashi_direct_blocks graph, found;
    uint32_t body_count, block_count, row_count;
    uint32_t first_body, range;  /* the island's bodies in the problem */
    ASHI_ARRAY(uint32_t) local;  /* by body of the island: its number in the graph, or none */
    ASHI_ARRAY(uint32_t) body;   /* by body of the graph: its number in the problem */
    ASHI_ARRAY(uint32_t) source; /* by row of the graph: its number in the problem; ascending */
    bool fitted;                 /* all that follows is there */
    uint32_t pattern_count;      /* how often the symbolic phase ran */
    uint64_t operations;         /* multiplications so far, about */

    ashi_direct_plan plans[ASHI_DIRECT_RULES]; /* made when first needed */
    ashi_direct_plan *plan;                    /* of the last factor */
    double epsilon; /* of the last factor: 0, or the part of `scale` that is added to each softness */

    ashi_arena *memory;       /* all that follows */
    uint32_t *first_row;      /* by block of the graph, and one more */
    uint8_t *lower;           /* by block: which of its bodies is the lower one; 2: it is not of the forest */
    uint32_t loop_rows;       /* of blocks that close loops */
    double (*root)[12];       /* by body: F */
    double (*jacobian)[12];   /* by row: J F of both bodies */
    double *softness, *scale; /* by row; scale: the diagonal of J M^-1 J^T + softness. 0: the row moves nothing */
    double *right, *held, *residual, *guess, *reachable; /* by row */
    double *z;                                           /* six by body */

    /* redundancy, found when somebody asks */
    bool analysed;
    uint32_t redundant_count, suspect_count;
    bool *suspect, *redundant, *undetermined; /* by row; suspect: a small pivot */
    uint32_t *listed;                         /* rows found redundant */
    ASHI_ARRAY(double) products;              /* of their parts in the null space */
};

/* direct_order.c. The forest sets `lower` and `loop_rows`. `order` has room for all nodes; bodies come leaf to root or
 * by AMD, blocks whole, or blocks by AMD. False when memory ran out. */
bool ashi_direct_find_forest(ashi_direct *direct, ashi_arena *scratch);
bool ashi_direct_order(const ashi_direct *direct, ashi_arena *scratch, ashi_direct_rule rule,
                       ashi_direct_ordering ordering, uint32_t *order);

/* direct_pattern.c: the cheaper one of two orders of bodies, and its entries. False when memory ran out. */
bool ashi_direct_choose_pattern(const ashi_direct *direct, ashi_arena *scratch, ashi_direct_rule rule,
                                const ashi_direct_shares *shares, ashi_direct_plan *plan);

/* direct_plan.c: the plan of a rule, made if there is none yet; null when memory ran out. */
ashi_direct_plan *ashi_direct_plan_for(ashi_direct *direct, ashi_direct_rule rule);
void ashi_direct_forget_plans(ashi_direct *direct);

/* direct_factor.c: the matrix in `diagonal` and `upper` of the plan, then its factor. With `epsilon` 0 it stops at the
 * first small pivot of a row, and returns false; else it notes such rows in `suspect`, and returns true. */
bool ashi_direct_eliminate(ashi_direct *direct, ashi_direct_plan *plan, double epsilon);
/* Solves for a right side with zeros for bodies and `wanted` by row: `impulse` by row. */
void ashi_direct_substitute(ashi_direct *direct, const double *wanted, double *impulse);

/* direct.c: as ashi_direct_solve, from `right` to `held`; leaves what impulses do to bodies in `z`. */
double ashi_direct_solve_rows(ashi_direct *direct);

/* direct_rank.c */
void ashi_direct_analyse(ashi_direct *direct);

/* Units of a block: from this one to that of the next block. */
static inline uint32_t ashi_direct_first_unit(const ashi_direct *direct, const ashi_direct_plan *plan, uint32_t block)
{
    return plan->by_rows ? direct->first_row[block] : block;
}

static inline uint32_t ashi_direct_node_size(const ashi_direct *direct, const ashi_direct_plan *plan, uint32_t node)
{
    uint32_t unit = node - direct->body_count;
    if (node < direct->body_count)
        return ASHI_DIRECT_SIZE;
    return plan->by_rows ? 1 : direct->first_row[unit + 1] - direct->first_row[unit];
}

/* Rows of a unit: from this one to that of the next unit. */
static inline uint32_t ashi_direct_unit_row(const ashi_direct *direct, const ashi_direct_plan *plan, uint32_t unit)
{
    return plan->by_rows ? unit : direct->first_row[unit];
}

#endif
