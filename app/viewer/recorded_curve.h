/* What pages call the series of a recording. */
#ifndef CLI_VIEW_RECORDED_CURVE_H
#define CLI_VIEW_RECORDED_CURVE_H

typedef struct view_recorded_curve {
    const char *name, *group; /* null: it is not plotted */
} view_recorded_curve;

/* Of "ledger/kinetic" the name is "kinetic" and the group "energy"; the name lies in `series` or is constant. */
view_recorded_curve view_recorded_curve_of(const char *series);

#endif
