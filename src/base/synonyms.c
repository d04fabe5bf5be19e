/* What other engines and formats (Box2D, Bullet, ODE, MuJoCo, PhysX, URDF, SDF, common speech) call things that Ashlar
 * has, so that a wrong word leads to the right one. A word is suggested only where it is possible.
 */
#include "base/diagnostic.h"

/* Meanings and, separated by spaces, the words for each. Letters are compared as by ashi_same_letters. */
static const struct {
    const char *meaning, *words;
} table[] = {
    /* kinds of joints */
    {"hinge", "revolute pin pivot rotational rotary continuous"},
    {"slider", "prismatic translational linear sliding piston"},
    {"ball", "spherical socket ball-socket ball-and-socket point-to-point p2p s-joint"},
    {"fixed", "weld welded rigid glue lock"},
    {"universal", "cardan hooke u-joint"},
    {"distance", "rod stick link bar"},
    {"rope", "cable string tendon max-distance"},
    {"suspension", "wheel hinge2"},
    {"combination", "generic 6dof d6 six-dof generic-6dof configurable"},
    {"screw", "helical"},
    {"hydraulic", "actuator ram linear-actuator"},
    {"path", "spline curve rail track"},
    {"planar", "plane 2d two-dimensional flat is2d"},
    /* kinds of shapes */
    {"sphere", "ball"},
    {"box", "cube cuboid block brick"},
    {"circle", "disc disk"},
    {"hull", "convex polyhedron convex-hull convex-mesh polytope"},
    {"mesh", "trimesh triangle-mesh triangles file obj stl"},
    {"plane", "ground half-space floor static-plane"},
    {"height-field", "terrain height-map hfield elevation"},
    {"distance-field", "sdf signed-distance-field level-set"},
    {"compound", "composite union assembly multi"},
    {"capsule", "pill sphere-cylinder"},
    {"flat-capsule", "stadium capsule-2d"},
    {"segment", "edge line"},
    {"cylinder", "tube disc disk"},
    {"polygon", "rectangle triangle quad poly"},
    {"chain", "polyline line-strip edge-chain"},
    {"ellipsoid", "ellipse"},
    /* shapes */
    {"half_extents", "size extents dimensions half-size half-widths extent width length side scale"},
    {"height", "length h half-height half-length"},
    {"radius", "r diameter d"},
    {"points", "vertices verts corners positions"},
    {"triangles", "faces indices elements facets"},
    {"values", "heights data samples distances"},
    {"cells", "resolution samples grid"},
    {"spacing", "cell-size scale"},
    {"parts", "children shapes members"},
    /* bodies */
    {"type", "kind body-type motion-type mode"},
    {"kind", "type"},
    {"static", "fixed immovable ground"},
    {"kinematic", "animated scripted keyframed"},
    {"dynamic", "rigid free movable rigid-body"},
    {"position", "pos translation location origin xyz offset"},
    {"rotation", "orientation quaternion quat angle rpy euler attitude"},
    {"velocity", "linear-velocity linvel vel v speed"},
    {"angular_velocity", "angvel omega spin w rotation-rate"},
    {"mass", "weight m"},
    {"inertia", "moment-of-inertia inertia-tensor moi i"},
    {"centre", "center com centre-of-mass center-of-mass cog"},
    {"gravity_scale", "gravity"},
    {"linear_damping", "damping drag linear-drag"},
    {"angular_damping", "rotational-damping angular-drag"},
    {"locks", "fixed-rotation freeze constraints locked lock"},
    {"fast", "bullet ccd continuous"},
    {"shapes", "shape geometry geometries geom geoms collision collider colliders fixtures fixture"},
    {"shape", "geometry geom collider"},
    {"sensor", "trigger is-sensor is-trigger"},
    {"category", "layer category-bits collision-group"},
    {"mask", "mask-bits collides-with collision-mask"},
    {"group", "group-index"},
    {"surface_velocity", "belt-speed conveyor-velocity"},
    /* materials */
    {"friction", "mu static-friction friction-coefficient coefficient-of-friction mu-s"},
    {"sliding_friction", "dynamic-friction kinetic-friction mu-k"},
    {"restitution", "bounciness elasticity bounce cor"},
    {"rolling", "rolling-friction rolling-resistance"},
    {"spinning", "spinning-friction torsional-friction"},
    {"density", "rho specific-weight"},
    /* joints, their axes and motors */
    {"body_a", "parent body1 a entity-a first"},
    {"body_b", "child body2 connected-body b entity-b second"},
    {"point", "anchor pivot position at anchor-point"},
    {"axis", "direction"},
    {"axes", "limits motor limit"},
    {"frame_a", "local-anchor-a anchor-a parent-frame"},
    {"frame_b", "local-anchor-b anchor-b child-frame"},
    {"point_a", "anchor-a local-anchor-a"},
    {"point_b", "anchor-b local-anchor-b"},
    {"lower", "min minimum lower-limit low"},
    {"upper", "max maximum upper-limit high"},
    {"stiffness", "k spring-constant spring-rate"},
    {"damping", "c damping-coefficient damper viscosity"},
    {"rest_length", "natural-length length l0 rest free-length"},
    {"rest", "rest-angle rest-length rest-position neutral"},
    {"target", "target-velocity target-position speed motor-speed setpoint velocity position"},
    {"max_force", "max-torque max-motor-torque effort force-limit max-motor-force torque"},
    {"break_force", "breaking-force break-impulse"},
    {"proportional", "kp p gain"},
    {"integral", "ki"},
    {"derivative", "kd"},
    {"drive", "mode kind type motor"},
    {"servo", "pid pd"},
    {"collide", "collide-connected enable-collision self-collision"},
    {"turn-x", "twist rotation-x angle"},
    {"move-x", "translation-x slide"},
    /* forces */
    {"spring", "damper dashpot elastic tsda bungee"},
    {"bending-spring", "bend flexural-spring flexure hinge-spring three-node-spring"},
    {"angular-spring", "torsion-spring torsional-spring rotational-spring torsion"},
    {"drag", "air air-resistance aerodynamic wind"},
    {"load", "force torque external wrench moment"},
    {"pull", "mouse mouse-joint grab"},
    {"coefficient", "cd drag-coefficient"},
    /* sections, and the world's keys */
    {"bodies", "objects rigid-bodies links actors"},
    {"joints", "constraints"},
    {"forces", "springs loads"},
    {"outputs", "measurements sensors probes"},
    {"events", "actions triggers"},
    {"checks", "assertions tests expectations"},
    {"summary", "description comment title"},
    {"world", "settings simulation scene"},
    {"ashlar", "version format"},
    {"gravity", "g"},
    {"step", "dt timestep time-step step-size h"},
    {"time", "duration end-time t-end length simulation-time until t seconds"},
    {"sample", "sample-interval sampling output-interval"},
    {"method", "solver integrator engine preset"},
    {"off", "none"},
    /* methods and their fields */
    {"realtime", "fast game interactive default"},
    {"engineering", "exact accurate precise"},
    {"penalty", "dem"},
    {"rk4", "runge-kutta runge-kutta-4"},
    {"symplectic-euler", "semi-implicit-euler semi-implicit"},
    {"explicit-euler", "euler forward-euler"},
    {"implicit-euler", "backward-euler"},
    {"implicit-midpoint", "midpoint"},
    {"pgs", "gauss-seidel projected-gauss-seidel sequential-impulses si"},
    {"iterations", "velocity-iterations solver-iterations num-iterations"},
    {"substeps", "num-substeps"},
    {"continuous", "ccd"},
    {"sleeping", "sleep deactivation"},
    {"stabilization", "baumgarte"},
    /* commands and options of the program */
    {"run", "simulate sim start exec play"},
    {"view", "show watch open gui visualize visualise viewer"},
    {"list", "ls scenes methods examples info"},
    {"check", "lint verify inspect"},
    {"validate", "test"},
    {"export", "dump save write"},
    {"picture", "render image draw screenshot png"},
    {"report", "html"},
    {"bench", "benchmark perf profile"},
    {"compare", "diff"},
    {"out", "output-dir outdir output directory"},
    {"output", "out file"},
    {"threads", "jobs workers cores"},
    {"set", "param parameter define"},
    {"plot", "graph chart"},
    {"at", "time t"},
    {"colour", "color"},
    {"size", "resolution"},
    {"every", "interval"},
    {"no-open", "no-browser headless"},
    {"address", "host bind listen"},
    {"paused", "pause"},
};

const char *ashi_synonym(const char *word, size_t number)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *words = table[i].words;
        while (*words != 0) {
            char one[32];
            size_t length = 0;
            for (; *words != 0 && *words != ' '; words++)
                if (length < sizeof one - 1)
                    one[length++] = *words;
            one[length] = 0;
            words += *words == ' ';
            if (ashi_same_letters(word, one) && number-- == 0)
                return table[i].meaning;
        }
    }
    return NULL;
}
