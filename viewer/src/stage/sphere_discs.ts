// Spheres without triangles: each is one square that faces the eye, and the shader finds the sphere's surface in it.
// Ten thousand of them are 20,000 triangles instead of millions, and are round at any distance.
//
// The square lies through the sphere's centre, and its depth is used as it is.  For bodies that do not overlap this
// hides exactly what the sphere hides: along any ray the middles of two disjoint intervals stand in the order of the
// intervals.  So only for free spheres, not for those that are part of a larger body.

import {
    BufferAttribute, BufferGeometry, Camera, FrontSide, InstancedMesh, Intersection, Matrix4, MeshDepthMaterial, MeshStandardMaterial, Raycaster, RGBADepthPacking,
    ShaderChunk, Sphere, Vector3,
} from "three";

export function discGeometry(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
    geometry.setAttribute("normal", new BufferAttribute(new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    return geometry;
}

/// Makes a mesh of squares (instances scaled by the radius) a mesh of spheres.  `shadow`: from world to shadow map.
export function makeSpheres(mesh: InstancedMesh, shadow: Matrix4): void {
    const toShadow = { value: new Matrix4() };
    const material = mesh.material as MeshStandardMaterial;
    const before = material.onBeforeCompile;
    material.alphaToCoverage = true;
    material.shadowSide = FrontSide;  // a disc has no other side towards the light
    material.onBeforeCompile = (shader, renderer) => {
        before.call(material, shader, renderer);
        shader.uniforms.toShadow = toShadow;
        shader.vertexShader = shader.vertexShader
            .replace("void main() {", `${vertexNames}\nvoid main() {`)
            .replace("#include <project_vertex>", towardsEye);
        shader.fragmentShader = shader.fragmentShader
            .replace("void main() {", `${fragmentNames}\nvoid main() {\n${findSurface}`)
            .replace("#include <normal_fragment_begin>", "#include <normal_fragment_begin>\nnormal = ballNormal;\nnonPerturbedNormal = ballNormal;")
            .replace("#include <alphatest_fragment>", "diffuseColor.a = cover;")
            .replace("#include <lights_fragment_begin>", ShaderChunk.lights_fragment_begin.replace("vDirectionalShadowCoord[ i ]", "toShadow * vec4(ballPoint + ballNormal * 0.04 * vBall.w, 1.0)"))
            .replaceAll("vLocal.xy", "ballLocal");
    };
    material.customProgramCacheKey = () => "sphere disc";
    mesh.customDepthMaterial = shadowMaterial();
    mesh.onBeforeRender = (_renderer, _scene, camera: Camera) => { toShadow.value.multiplyMatrices(shadow, camera.matrixWorld); };
    mesh.raycast = (ray, hits) => hitSpheres(mesh, ray, hits);
}

/// The disc through the centre across the light: what lies towards the light is lit, and nothing shades itself.
function shadowMaterial(): MeshDepthMaterial {
    const material = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
    material.onBeforeCompile = (shader) => {
        shader.vertexShader = shader.vertexShader
            .replace("void main() {", "varying vec2 vDisc;\nvoid main() {")
            .replace("#include <project_vertex>", `
                vec4 mvPosition = modelViewMatrix * instanceMatrix * vec4(0.0, 0.0, 0.0, 1.0);
                mvPosition.xy += position.xy * length(instanceMatrix[0].xyz);
                vDisc = position.xy;
                gl_Position = projectionMatrix * mvPosition;`);
        shader.fragmentShader = shader.fragmentShader
            .replace("void main() {", "varying vec2 vDisc;\nvoid main() {\nif (dot(vDisc, vDisc) > 1.0) discard;");
    };
    return material;
}

// vBall: centre seen by the camera, radius.  Perspective makes the outline wider than the radius; a few per cent more
// leave room for its soft edge.
const vertexNames = "varying vec4 vBall;\nvarying vec3 vAcross;\nvarying vec3 vAxisX;\nvarying vec3 vAxisY;";

const towardsEye = `
mat4 ballMatrix = modelViewMatrix * instanceMatrix;
vec3 ballCentre = ballMatrix[3].xyz;
float ballRadius = length(ballMatrix[0].xyz);
float ballAway = length(ballCentre);
vec3 ballForward = ballCentre / ballAway;
vec3 ballRight = normalize(cross(ballForward, abs(ballForward.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
vec3 ballUp = cross(ballRight, ballForward);
float ballReach = 1.06 * ballRadius * ballAway / sqrt(max(ballAway * ballAway - ballRadius * ballRadius, 1e-4 * ballRadius * ballRadius));
vec4 mvPosition = vec4(ballCentre + (ballRight * position.x + ballUp * position.y) * ballReach, 1.0);
vBall = vec4(ballCentre, ballRadius);
vAcross = mvPosition.xyz;
vAxisX = ballMatrix[0].xyz / ballRadius;
vAxisY = ballMatrix[1].xyz / ballRadius;
gl_Position = projectionMatrix * mvPosition;`;

const fragmentNames = `${vertexNames}\nuniform mat4 toShadow;`;

const findSurface = `
vec3 ballRay = normalize(vAcross);
float ballAlong = dot(ballRay, vBall.xyz);
float ballMiss = length(vBall.xyz - ballAlong * ballRay);
float cover = clamp((vBall.w - ballMiss) / max(fwidth(ballMiss), 1e-9) + 0.5, 0.0, 1.0);
if (cover <= 0.0) discard;
vec3 ballPoint = ballRay * (ballAlong - sqrt(max(vBall.w * vBall.w - ballMiss * ballMiss, 0.0)));
vec3 ballNormal = normalize(ballPoint - vBall.xyz);
vec2 ballLocal = vec2(dot(ballNormal, vAxisX), dot(ballNormal, vAxisY));`;

function hitSpheres(mesh: InstancedMesh, ray: Raycaster, hits: Intersection[]): void {
    const m = mesh.instanceMatrix.array;
    const ball = new Sphere();
    const point = new Vector3();
    for (let k = 0; k < mesh.count; ++k) {
        const at = 16 * k;
        ball.center.set(m[at + 12], m[at + 13], m[at + 14]);
        ball.radius = Math.hypot(m[at], m[at + 1], m[at + 2]);
        if (!ray.ray.intersectSphere(ball, point)) continue;
        hits.push({ distance: ray.ray.origin.distanceTo(point), point: point.clone(), object: mesh, instanceId: k });
    }
}
