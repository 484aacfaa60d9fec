#include "keys.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace uptack::scene {
namespace {

constexpr Key repeat{
    "repeat", "repeat", "", "once",
    "loops, the first one outermost: {\"i\": 30} runs i = 0 ... 29, {\"i\": [1, 5]} runs i = 1 ... 5"};
constexpr Key let{"let", "let", "", "none",
                  "names for expressions, worked out anew in each repetition: {\"x\": \"0.2*i\", \"r\": "
                  "{\"random\": [0.01, 0.02]}}"};
constexpr Key condition{"if", "number", "", "always", "leaves this repetition out where it is 0"};
constexpr Key relative_to{"relative_to", "text", "", "the scene",
                          "body in whose frame, as it stands at the start, position and rotation are meant"};
constexpr Key group{"group", "names", "", "default", "collision groups, named in \"groups\""};
constexpr Key collides_with{"collides_with", "names", "", "every group", "groups that it touches"};
constexpr Key ignores{"ignores", "names", "", "none", "groups that it passes through"};

constexpr std::array scene_keys{
    Key{"uptack", "version", "", "required", "version of this format"},
    Key{"title", "text", "", "the file's name", "one line"},
    Key{"description", "text", "", "", "what is to be seen and learnt"},
    Key{"parameters", "parameters", "", "none",
        "numbers that --set can change; later ones may use earlier ones"},
    Key{"settings", "object:settings", "", "see there", "how to simulate"},
    Key{"gravity", "vec3", "m/s^2", "[0, 0, -9.81]", "acceleration of free fall"},
    Key{"camera", "object:camera", "", "see there", "from where to look"},
    Key{"watch", "names", "", "none", "joints whose reactions are worth plotting"},
    Key{"materials", "map:material", "", "none",
        "surfaces by name; \"default\" is there already and may be changed"},
    Key{"material_pairs", "list:material_pair", "", "none",
        "what holds between two materials in place of the rule"},
    Key{"groups", "names", "", "none", "collision groups, at most 31; \"default\" is there already"},
    Key{"meshes", "map:mesh", "", "none", "point and triangle sets that hulls and meshes use by name"},
    Key{"ground", "true|object:ground", "", "none", "a fixed body \"ground\" that fills everything below"},
    Key{"bodies", "list:body", "", "none", "what moves, and what it meets"},
    Key{"joints", "list:joint", "", "none", "what holds bodies together and drives them"},
    Key{"springs", "list:spring", "", "none", "springs and dampers between two points"},
    Key{"ropes", "list:rope", "", "none", "two points that cannot part further than a length"},
    Key{"forces", "list:force", "", "none", "forces and torques as functions of the time t"},
    Key{"no_collision", "list:body_pair", "", "none", "pairs of bodies that pass through each other"},
    Key{"include", "includes", "", "none", "other scene files, put in as parts"},
};

constexpr std::array parameter_keys{
    Key{"value", "number", "", "required", "may use earlier parameters"},
    Key{"min", "number", "", "none", "smaller values are refused"},
    Key{"max", "number", "", "none", "larger values are refused"},
    Key{"description", "text", "", "", "meaning and unit"},
};

constexpr std::array settings_keys{
    Key{"step", "number", "s", "1/240", "time step h"},
    Key{"substeps", "number", "", "1", "each step is made of so many"},
    Key{"duration", "number", "s", "5", "simulated time"},
    Key{"frame", "number", "s", "1/60", "time between recorded frames"},
    Key{"scheme", "choice:leapfrog,euler", "", "leapfrog", "time stepping"},
    Key{"stabilisation", "choice:recovery,spook", "", "recovery",
        "how position errors of constraints are taken back"},
    Key{"joint_recovery", "number", "", "0.3",
        "share of a joint's position error taken back in a step, 0 to 1"},
    Key{"contact_recovery", "number", "", "0.2", "share of an overlap taken back in a step, 0 to 1"},
    Key{"max_recovery_speed", "number", "m/s", "1", "overlaps are not pushed apart faster"},
    Key{"spook_relaxation", "number", "", "2", "relaxation time in steps, for spook"},
    Key{"friction", "choice:exact,convex,box", "", "exact", "friction model of all contacts"},
    Key{"bounce_speed", "number", "m/s", "0.05", "slower impacts do not bounce"},
    Key{"envelope", "number", "m", "0.01", "contacts are seen from this gap on"},
    Key{"rest_gap", "number", "m", "1e-6",
        "gaps and overlaps below this, or below 10 g h^2 times a relative tolerance (0.02 g h^2 from 2e-3 to "
        "1e-2), count as closed; 0: "
        "never"},
    Key{"rest_overlap", "number", "m", "0",
        "overlaps up to this are not pushed apart either; for piles with friction, 0.2 g h^2"},
    Key{"solver", "text|object:solver", "", "auto",
        "who solves each step: auto, or a name that `uptack solvers` lists"},
    Key{"tolerance", "tolerance", "1 or J", "1e-4", "error to reach: relative, or in joules as \"1e-6 J\""},
    Key{"max_iterations", "number", "", "2000", "of one step"},
    Key{"budget_ms", "number", "ms", "unlimited",
        "time that the solver has for one step; results then depend on the machine"},
    Key{"sleep", "bool|object:sleep", "", "false", "let bodies that are still fall asleep"},
    Key{"on_not_finite", "choice:stop,freeze", "", "stop",
        "when a force, motion or solve gives numbers that are not finite: stop before the step, or go on "
        "with "
        "the bodies concerned frozen where they were"},
};

constexpr std::array solver_keys{
    Key{"name", "text", "", "required", "auto, or a name that `uptack solvers` lists"},
    Key{"options", "options", "", "none", "the solver's own options by name"},
};

constexpr std::array sleep_keys{
    Key{"enabled", "bool", "", "true", "whether they may"},
    Key{"linear_speed", "number", "m/s", "0.01", "below this and angular_speed a body counts as still"},
    Key{"angular_speed", "number", "rad/s", "0.02", ""},
    Key{"after", "number", "s", "0.5", "bodies that touch and have all been still for so long fall asleep"},
};

constexpr std::array camera_keys{
    Key{"eye", "vec3", "m", "[3, -4, 2.5]", "where the camera is"},
    Key{"target", "vec3", "m", "[0, 0, 0]", "what it looks at"},
    Key{"field_of_view_deg", "number", "deg", "40", "vertical angle of view"},
};

constexpr std::array ground_keys{
    Key{"height", "number", "m", "0", "z of its surface"},
    Key{"material", "text", "", "default", "name of a material"},
    Key{"color", "color", "", "by material", "\"#rrggbb\""},
    group,
    collides_with,
    ignores,
};

constexpr Key friction{"friction", "number", "", "0.5", "coefficient mu; a pair has the geometric mean"};
constexpr Key restitution{"restitution", "number", "", "0", "0 to 1; a pair has the larger"};
constexpr Key rolling{"rolling_friction", "number", "m", "0",
                      "arm of the rolling resistance; a pair has the sum"};
constexpr Key spinning{"spinning_friction", "number", "m", "0",
                       "arm of the spinning resistance; a pair has the sum"};
constexpr Key contact_compliance{"compliance", "number", "m/N", "0",
                                 "of one contact point; a pair has the sum"};
constexpr Key adhesion{"adhesion", "number", "N", "0",
                       "pull that one contact point bears; a pair has the smaller"};

constexpr std::array material_keys{
    Key{"density", "number", "kg/m^3", "1000", "for masses that are not given"},
    friction,
    restitution,
    rolling,
    spinning,
    contact_compliance,
    adhesion,
    Key{"surface_velocity", "vec3", "m/s", "[0, 0, 0]",
        "of the surface against its body, in the body's frame: a belt"},
    Key{"color", "color", "", "chosen", "\"#rrggbb\""},
};

constexpr std::array material_pair_keys{
    Key{"between", "pair", "", "required", "two names of materials"},
    friction,
    restitution,
    rolling,
    spinning,
    contact_compliance,
    adhesion,
};

constexpr std::array body_keys{
    Key{"name", "text", "", "body N",
        "repeated bodies get the loop variables appended, as in \"brick 3 7\", unless the name has {...}"},
    Key{"kind", "choice:dynamic,kinematic,fixed", "",
        "dynamic; kinematic with a motion; fixed with a half-space, mesh or height field",
        "moved by forces, moved as prescribed, or never moved"},
    Key{"shape", "object:shape", "", "none", "the only shape"},
    Key{"shapes", "list:shape", "", "none", "several shapes, rigidly together"},
    Key{"position", "vec3", "m", "[0, 0, 0]", "of the origin of the body's frame"},
    Key{"rotation", "rotation", "rad", "none", "of the body's frame"},
    relative_to,
    Key{"velocity", "vec3", "m/s", "[0, 0, 0]", "of the centre of mass"},
    Key{"angular_velocity", "vec3", "rad/s", "[0, 0, 0]", ""},
    Key{"material", "text", "", "default", "of shapes that name none"},
    Key{"mass", "number", "kg", "from densities", "of the whole body"},
    Key{"center_of_mass", "vec3", "m", "from shapes", "in the body's frame; wants mass and inertia"},
    Key{"inertia", "inertia", "kg m^2", "from shapes",
        "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz] about the centre of mass; wants mass"},
    Key{"motion", "object:motion", "", "none", "how a kinematic body moves"},
    Key{"linear_damping", "number", "1/s", "0", "force -m c v"},
    Key{"angular_damping", "number", "1/s", "0", "torque -I c omega"},
    Key{"can_sleep", "bool", "", "true", ""},
    Key{"color", "color", "", "by material", "of shapes that have none, \"#rrggbb\""},
    group,
    collides_with,
    ignores,
    Key{"jitter", "object:jitter", "", "none", "random offsets, the same in every run"},
    repeat,
    let,
    condition,
};

constexpr std::array shape_keys{
    Key{"sphere", "number", "m", "one of these", "radius"},
    Key{"box", "size3", "m", "one of these", "full size along x, y, z, or one number for a cube"},
    Key{"capsule", "object:round_shape", "m", "one of these", "along z; `length` without the round ends"},
    Key{"cylinder", "object:round_shape", "m", "one of these", "along z"},
    Key{"cone", "object:round_shape", "m", "one of these", "along z: base at -length/2, apex at length/2"},
    Key{"half_space", "true", "", "one of these",
        "everything below z = 0 of its frame; not on dynamic bodies"},
    Key{"hull", "text|points|object:points", "m", "one of these",
        "convex hull of points, or of a mesh by name"},
    Key{"mesh", "text|object:mesh", "m", "one of these",
        "triangles, seen from outside; not on dynamic bodies"},
    Key{"height_field", "object:height_field", "m", "one of these",
        "heights above a grid; not on dynamic bodies"},
    Key{"name", "text", "", "none", ""},
    Key{"position", "vec3", "m", "[0, 0, 0]", "in the body's frame"},
    Key{"rotation", "rotation", "rad", "none", "in the body's frame"},
    Key{"material", "text", "", "the body's", "name of a material"},
    Key{"color", "color", "", "the body's", "\"#rrggbb\""},
    group,
    collides_with,
    ignores,
    repeat,
    let,
    condition,
};

constexpr std::array round_shape_keys{
    Key{"radius", "number", "m", "required", ""},
    Key{"length", "number", "m", "required", "along z"},
};

constexpr std::array points_keys{
    Key{"points", "points", "m", "this or file", "list of [x, y, z]"},
    Key{"file", "text", "", "this or points", "OBJ or STL file, inside the scene's folder"},
    Key{"scale", "number", "", "1", "factor: 0.001 for a file in millimetres"},
};

constexpr std::array mesh_keys{
    Key{"file", "text", "", "this or vertices", "OBJ or STL file, inside the scene's folder"},
    Key{"vertices", "points", "m", "this or file", "list of [x, y, z]"},
    Key{"triangles", "triangles", "", "with vertices",
        "list of three numbers of vertices from 0 on, counter-clockwise seen from outside"},
    Key{"scale", "number", "", "1", "factor: 0.001 for a file in millimetres"},
};

constexpr std::array height_field_keys{
    Key{"columns", "number", "", "required", "samples along x, at least 2"},
    Key{"rows", "number", "", "required", "samples along y, at least 2"},
    Key{"spacing", "number|vec2", "m", "1", "between samples, or [along x, along y]"},
    Key{"heights", "numbers", "m", "this or height",
        "row by row, beginning at the origin of the shape's frame"},
    Key{"height", "number", "m", "this or heights", "expression in x and y [m]"},
};

constexpr std::array rotation_keys{
    Key{"axis", "vec3", "", "one of three", "turned about it by `angle`; any length"},
    Key{"angle", "number", "rad", "with axis", "as in \"30*deg\""},
    Key{"along", "vec3", "", "one of three", "the z axis is turned into this direction by the shortest way"},
    Key{"quaternion", "vec4", "", "one of three", "[w, x, y, z]; normalised"},
};

constexpr std::array motion_keys{
    Key{"offset", "time_vec3", "m", "[0, 0, 0]", "from the start, functions of t"},
    Key{"axis", "vec3", "", "[0, 0, 1]", "of the turn"},
    Key{"center", "vec3", "m", "the body's position", "a point of the axis at t = 0"},
    Key{"angle", "time", "rad", "0", "function of t"},
};

constexpr std::array jitter_keys{
    Key{"position", "size3", "m", "0", "each coordinate by up to this, either way"},
    Key{"rotation", "number", "rad", "0", "about each axis by up to this"},
    Key{"velocity", "size3", "m/s", "0", "each component by up to this"},
    Key{"seed", "number", "", "0", "another seed, other offsets; they depend on seed and name alone"},
};

constexpr std::array random_keys{
    Key{"random", "vec2", "", "required", "[from, to]: evenly between, the same in every run"},
    Key{"seed", "number", "", "0",
        "another seed, other numbers; they depend on seed, name and loop variables alone"},
};

constexpr Key axis_motor{"motor", "object:motor", "", "none", "what drives it"};
constexpr Key limits{"limits", "limits", "m or rad", "none", "[lower, upper]; null for none"};
constexpr Key limit_restitution{"limit_restitution", "number", "", "0", "bounce at the limits, 0 to 1"};
constexpr Key stiffness{"stiffness", "number", "N/m or N m/rad", "0", "of a spring"};
constexpr Key damping{"damping", "number", "N s/m or N m s/rad", "0", "of a damper"};
constexpr Key rest{"rest", "number", "m or rad", "0", "coordinate where the spring is at ease"};
constexpr Key axis_friction{"friction", "number", "N or N m", "0", "dry friction"};

constexpr std::array joint_axis_keys{limits, limit_restitution, axis_motor, stiffness, damping,
                                     rest,   axis_friction};

constexpr std::array joint_keys{
    Key{"name", "text", "", "joint N", "as for bodies"},
    Key{"kind",
        "choice:free,fixed,revolute,prismatic,cylindrical,screw,spherical,universal,planar,point_on_line,"
        "distance,gear,rack_pinion,pulley",
        "", "required", "see the table of joints"},
    Key{"a", "text", "", "world", "body, or \"world\""},
    Key{"b", "text", "", "required", "body, or \"world\""},
    Key{"position", "vec3", "m", "origin of b; of a for distance, gear, rack_pinion and pulley",
        "of the joint's frame, as things stand at the start"},
    Key{"axis", "vec3", "", "[0, 0, 1]", "direction of the frame's z axis"},
    Key{"x_axis", "vec3", "", "chosen", "direction of the frame's x axis; made perpendicular to z"},
    Key{"rotation", "rotation", "rad", "none", "of the frame, in place of axis"},
    relative_to,
    Key{"frame_b", "object:joint_frame", "",
        "the same; at the origin of b for distance, gear, rack_pinion and pulley",
        "frame on b where it differs"},
    limits,
    limit_restitution,
    axis_motor,
    stiffness,
    damping,
    rest,
    axis_friction,
    Key{"axes", "axes", "", "none", "the same seven for each coordinate by name, where several are free"},
    Key{"compliance", "number", "m/N or rad/(N m)", "0", "of what the joint holds"},
    Key{"length", "number", "m", "as at the start", "distance, pulley"},
    Key{"lead", "number", "m", "0", "screw: advance in one turn"},
    Key{"radius_a", "number", "m", "0", "gear, rack_pinion"},
    Key{"radius_b", "number", "m", "0", "gear; negative: a ring with inner teeth"},
    Key{"anchor_a", "vec3", "m", "[0, 0, 0]", "pulley: where a's rope leaves the pulley"},
    Key{"anchor_b", "vec3", "m", "[0, 0, 0]", "pulley: where b's rope leaves the pulley"},
    Key{"ratio", "number", "", "1", "pulley"},
    Key{"bodies_collide", "bool", "", "false", "whether a and b touch each other"},
    repeat,
    let,
    condition,
};

constexpr std::array joint_frame_keys{
    Key{"position", "vec3", "m", "see frame_b", ""},
    Key{"axis", "vec3", "", "as on a", "direction of the frame's z axis"},
    Key{"x_axis", "vec3", "", "chosen", "direction of the frame's x axis"},
    Key{"rotation", "rotation", "rad", "as on a", "of the frame, in place of axis"},
};

constexpr std::array motor_keys{
    Key{"position", "time", "m or rad", "one of three", "follows this function of t"},
    Key{"velocity", "time", "m/s or rad/s", "one of three", "follows this function of t"},
    Key{"force", "time", "N or N m", "one of three", "pushes with this function of t"},
    Key{"max_force", "number", "N or N m", "unlimited", "of a position or velocity motor"},
};

constexpr Key from{"from", "vec3", "m", "origin of a", "end on a, as things stand at the start"};
constexpr Key to{"to", "vec3", "m", "origin of b", "end on b"};
constexpr Key end_a{"a", "text", "", "world", "body, or \"world\""};
constexpr Key end_b{"b", "text", "", "required", "body, or \"world\""};

constexpr std::array spring_keys{
    Key{"name", "text", "", "joint N", "as for bodies"},
    end_a,
    end_b,
    from,
    to,
    Key{"stiffness", "number", "N/m", "0", ""},
    Key{"damping", "number", "N s/m", "0", ""},
    Key{"rest", "number", "m", "as at the start", "length at ease"},
    Key{"bodies_collide", "bool", "", "true", "whether a and b touch each other"},
    repeat,
    let,
    condition,
};

constexpr std::array rope_keys{
    Key{"name", "text", "", "joint N", "as for bodies"},
    end_a,
    end_b,
    from,
    to,
    Key{"length", "number", "m", "as at the start", ""},
    Key{"bodies_collide", "bool", "", "true", "whether a and b touch each other"},
    repeat,
    let,
    condition,
};

constexpr std::array force_keys{
    Key{"name", "text", "", "force N", "as for bodies"},
    Key{"body", "text", "", "required", ""},
    Key{"point", "vec3", "m", "centre of mass", "where it acts, in the body's frame"},
    Key{"frame", "choice:world,body", "", "world", "of the components"},
    Key{"force", "time_vec3", "N", "[0, 0, 0]", "functions of t"},
    Key{"torque", "time_vec3", "N m", "[0, 0, 0]", "functions of t"},
    repeat,
    let,
    condition,
};

constexpr std::array body_pair_keys{
    Key{"between", "pair", "", "required", "two names of bodies"},
    repeat,
    let,
    condition,
};

constexpr std::array include_keys{
    Key{"file", "text", "", "this or scene", "relative path, inside the folder of the scene"},
    Key{"scene", "object:scene", "", "this or file", "a whole scene in place of a file"},
    Key{"name", "text", "", "none", "its bodies and joints are called \"NAME/...\""},
    Key{"position", "vec3", "m", "[0, 0, 0]", "of the part's origin"},
    Key{"rotation", "rotation", "rad", "none", "of the part"},
    Key{"set", "map:number", "", "none", "values for the part's parameters"},
    repeat,
    let,
    condition,
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row.back();
}

}  // namespace

namespace kinds {
const ObjectKind scene{"scene", "The whole file.", scene_keys};
const ObjectKind parameter{"parameter", "A number that may be changed; in short form just its value.",
                           parameter_keys};
const ObjectKind settings{"settings", "How to simulate.", settings_keys};
const ObjectKind solver{"solver", "A solver with options; in short form just its name.", solver_keys};
const ObjectKind sleep{"sleep", "When bodies fall asleep; in short form true or false.", sleep_keys};
const ObjectKind camera{"camera", "From where to look.", camera_keys};
const ObjectKind ground{"ground", "A fixed half-space; in short form true.", ground_keys};
const ObjectKind material{"material", "A surface, and the density below it.", material_keys};
const ObjectKind material_pair{"material_pair", "What is not given stays as the rule for pairs has it.",
                               material_pair_keys};
const ObjectKind body{"body", "A rigid body, or many of a pattern.", body_keys};
const ObjectKind shape{"shape", "Exactly one of the first nine keys says what it is.", shape_keys};
const ObjectKind round_shape{"round_shape", "Of capsule, cylinder and cone.", round_shape_keys};
const ObjectKind points{"points", "Of a hull; in short form just the list of points, or the name of a mesh.",
                        points_keys};
const ObjectKind mesh{"mesh", "Triangles; in short form the name of an entry of \"meshes\".", mesh_keys};
const ObjectKind height_field{"height_field", "Heights over a grid of x and y.", height_field_keys};
const ObjectKind rotation{
    "rotation", "In short form [x, y, z]: turned about the fixed x axis, then y, then z.", rotation_keys};
const ObjectKind motion{"motion", "x(t) = offset(t) + turn(axis, angle(t)) about center.", motion_keys};
const ObjectKind jitter{"jitter", "Random offsets that depend on the body's name and the seed.", jitter_keys};
const ObjectKind random{"random", "A random number, under a name in \"let\".", random_keys};
const ObjectKind joint{"joint", "A joint, or many of a pattern.", joint_keys};
const ObjectKind joint_frame{"joint_frame", "The joint's frame on body b.", joint_frame_keys};
const ObjectKind joint_axis{"joint_axis", "What acts along one free coordinate.", joint_axis_keys};
const ObjectKind motor{"motor", "Exactly one of position, velocity and force.", motor_keys};
const ObjectKind spring{"spring", "Short for a free joint with a spring along the distance of two points.",
                        spring_keys};
const ObjectKind rope{"rope", "Short for a free joint with an upper limit of the distance of two points.",
                      rope_keys};
const ObjectKind force{"force", "A force and a torque on one body.", force_keys};
const ObjectKind body_pair{"body_pair", "Two bodies that pass through each other.", body_pair_keys};
const ObjectKind include{
    "include",
    "A part from another file; in short form just its path. Taken from it are parameters, materials, groups, "
    "meshes, bodies, joints, springs, ropes, forces, no_collision, watch and its own includes.",
    include_keys};
}  // namespace kinds

std::span<const ObjectKind* const> all_kinds() {
    using namespace kinds;
    static constexpr std::array list{&scene,  &parameter, &settings,      &solver,     &sleep,  &camera,
                                     &ground, &material,  &material_pair, &body,       &shape,  &round_shape,
                                     &points, &mesh,      &height_field,  &rotation,   &motion, &jitter,
                                     &random, &joint,     &joint_frame,   &joint_axis, &motor,  &spring,
                                     &rope,   &force,     &body_pair,     &include};
    return list;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    std::string_view nearest;
    std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest.empty() ? "" : "; did you mean \"" + std::string(nearest) + "\"?";
}

std::string known_names(std::string_view word, const std::vector<std::string>& known) {
    const std::string near = suggestion(word, known);
    std::string text = near.empty() ? std::string("; known here are ") : near + " Known here are ";
    for (std::size_t k = 0; k < known.size(); ++k) {
        if (k > 0) text += ", ";
        text += known[k];
    }
    return text;
}

}  // namespace uptack::scene
