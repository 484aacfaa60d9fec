// Spheres without triangles: each is one square that faces the eye, and the shader finds the sphere's surface in it.
// Ten thousand of them are 20,000 triangles instead of millions, and are round at any distance.
//
// The square lies through the sphere's centre, and its depth is used as it is.  For bodies that do not overlap this
// hides exactly what the sphere hides: along any ray the middles of two disjoint intervals stand in the order of the
// intervals.  So only for free spheres, not for those that are part of a larger body.
//
// All squares are one plain mesh, and the spheres' places are in a texture.  Drawn as instances, each sphere would be a
// draw of its own where there is no graphics card, at a cost far above that of its few pixels.

import {
    BufferAttribute, BufferGeometry, Camera, DataTexture, DynamicDrawUsage, FloatType, FrontSide, Intersection, Matrix4, Mesh, MeshDepthMaterial,
    MeshStandardMaterial, Raycaster, RGBAFormat, ShaderChunk, Sphere, Vector3,
} from "three";

const texels = 3;       // of a sphere: centre and radius, orientation, colour
const inRow = 256;      // spheres in a row of the texture

/// Of a sphere among the values: x y z radius, quaternion x y z w, red green blue and one to spare.
export const sphereFloats = 4 * texels;
export const sphereColour = 8;

/// The squares that are drawn for the eye, or into the shadow map: a range of the index.
export class Squares {
    private count = 0;

    constructor(private readonly index: BufferAttribute, private readonly start: number) {}

    clear(): void { this.count = 0; }

    add(sphere: number): void {
        const target = this.index.array;
        const at = this.start + this.count;
        const corner = 4 * sphere;
        target[at] = target[at + 3] = corner;
        target[at + 1] = corner + 1;
        target[at + 2] = target[at + 4] = corner + 2;
        target[at + 5] = corner + 3;
        this.count += 6;
    }

    /// After the last one.
    done(): void {
        if (this.count > 0) this.index.addUpdateRange(this.start, this.count);
        this.index.needsUpdate = true;
    }

    use(geometry: BufferGeometry): void { geometry.setDrawRange(this.start, this.count); }
}

export class SphereMesh extends Mesh<BufferGeometry, MeshStandardMaterial> {
    readonly values: Float32Array;
    readonly forEye: Squares;
    readonly forLight: Squares;
    private readonly texture: DataTexture;
    private readonly full: MeshStandardMaterial;
    private readonly quick: MeshStandardMaterial;

    /// `newMaterial` is asked for two of the same finish; `shadow`: from world to shadow map.
    constructor(newMaterial: () => MeshStandardMaterial, readonly count: number, shadow: Matrix4) {
        super(discs(count), newMaterial());
        const rows = Math.ceil(count / inRow);
        this.values = new Float32Array(sphereFloats * inRow * rows);
        this.texture = new DataTexture(this.values, texels * inRow, rows, RGBAFormat, FloatType);
        const uniforms = { spheres: { value: this.texture }, toShadow: { value: new Matrix4() } };
        this.full = this.material;
        this.quick = newMaterial();
        asSpheres(this.full, uniforms, false);
        asSpheres(this.quick, uniforms, true);
        this.customDepthMaterial = shadowMaterial(uniforms);
        this.forEye = new Squares(this.geometry.index!, 0);
        this.forLight = new Squares(this.geometry.index!, 6 * count);
        this.onBeforeShadow = () => this.forLight.use(this.geometry);
        this.onBeforeRender = (_renderer, _scene, camera: Camera) => {
            this.forEye.use(this.geometry);
            uniforms.toShadow.value.multiplyMatrices(shadow, camera.matrixWorld);
        };
    }

    /// The values have changed.
    changed(): void { this.texture.needsUpdate = true; }

    /// Lights the spheres by shorter formulas.
    setQuick(quick: boolean): void { this.material = quick ? this.quick : this.full; }

    setFinish(roughness: number, metalness: number): void {
        for (const material of [this.full, this.quick]) Object.assign(material, { roughness, metalness });
    }

    override raycast(ray: Raycaster, hits: Intersection[]): void {
        for (let k = 0; k < this.count; ++k) {
            ball.center.fromArray(this.values, sphereFloats * k);
            ball.radius = this.values[sphereFloats * k + 3];
            if (!ray.ray.intersectSphere(ball, hitPoint)) continue;
            hits.push({ distance: ray.ray.origin.distanceTo(hitPoint), point: hitPoint.clone(), object: this, instanceId: k });
        }
    }

    dispose(): void {
        for (const part of [this.texture, this.geometry, this.full, this.quick, this.customDepthMaterial!]) part.dispose();
    }
}

const ball = new Sphere();
const hitPoint = new Vector3();

interface SphereUniforms { spheres: { value: DataTexture }; toShadow: { value: Matrix4 } }

/// Corners of squares: x, y, and the sphere's number.  The index has room for the eye's squares and the light's.
function discs(count: number): BufferGeometry {
    const corners = new Float32Array(12 * count);
    for (let k = 0; k < count; ++k) corners.set([-1, -1, k, 1, -1, k, 1, 1, k, -1, 1, k], 12 * k);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(corners, 3));
    geometry.setIndex(new BufferAttribute(new Uint32Array(12 * count), 1).setUsage(DynamicDrawUsage));
    return geometry;
}

function asSpheres(material: MeshStandardMaterial, uniforms: SphereUniforms, quick: boolean): void {
    const before = material.onBeforeCompile;
    material.alphaToCoverage = true;
    material.shadowSide = FrontSide;  // a disc has no other side towards the light
    material.onBeforeCompile = (shader, renderer) => {
        before.call(material, shader, renderer);
        Object.assign(shader.uniforms, uniforms);
        shader.vertexShader = shader.vertexShader
            .replace("void main() {", `${sphereValue}\n${varyings}\nvoid main() {`)
            .replace("#include <beginnormal_vertex>", "vec3 objectNormal = vec3(0.0, 0.0, 1.0);")
            .replace("#include <project_vertex>", towardsEye);
        shader.fragmentShader = shader.fragmentShader
            .replace("void main() {", `${varyings}\nuniform mat4 toShadow;\nvoid main() {\n${findSurface}`)
            .replace("#include <color_fragment>", "diffuseColor.rgb *= vBallColour;")
            .replace("#include <normal_fragment_begin>", "#include <normal_fragment_begin>\nnormal = ballNormal;\nnonPerturbedNormal = ballNormal;")
            .replace("#include <alphatest_fragment>", "diffuseColor.a = cover;")
            .replace("#include <lights_fragment_begin>", ShaderChunk.lights_fragment_begin.replace("vDirectionalShadowCoord[ i ]", "toShadow * shadedPoint"))
            .replaceAll("vLocal.xy", "ballLocal");
        if (quick) shader.fragmentShader = withQuickLight(shader.fragmentShader);
    };
    material.customProgramCacheKey = () => `sphere disc ${quick}`;
}

/// The disc through the centre across the light: what lies towards the light is lit, and nothing shades itself.
function shadowMaterial(uniforms: SphereUniforms): MeshDepthMaterial {
    const material = new MeshDepthMaterial({ colorWrite: false });  // the map is the depth itself
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, uniforms);
        shader.vertexShader = shader.vertexShader
            .replace("void main() {", `${sphereValue}\nvarying vec2 vDisc;\nvoid main() {`)
            .replace("#include <project_vertex>", `
                vec4 sphere = sphereValue(0);
                vec4 mvPosition = modelViewMatrix * vec4(sphere.xyz, 1.0);
                mvPosition.xy += position.xy * sphere.w;
                vDisc = position.xy;
                gl_Position = projectionMatrix * mvPosition;`);
        shader.fragmentShader = shader.fragmentShader
            .replace("void main() {", "varying vec2 vDisc;\nvoid main() {\nif (dot(vDisc, vDisc) > 1.0) discard;");
    };
    return material;
}

const sphereValue = `
uniform highp sampler2D spheres;
vec4 sphereValue(int which) {
    int k = int(position.z);
    return texelFetch(spheres, ivec2(${texels} * (k % ${inRow}) + which, k / ${inRow}), 0);
}
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }`;

// vBall: centre seen by the camera, radius.  Perspective makes the outline wider than the radius; a few per cent more
// leave room for its soft edge.
const varyings = `
flat varying vec4 vBall;
flat varying vec3 vAxisX, vAxisY, vBallColour;
varying vec3 vAcross;`;

const towardsEye = `
vec4 sphere = sphereValue(0);
vec4 sphereTurn = sphereValue(1);
vec3 ballCentre = (modelViewMatrix * vec4(sphere.xyz, 1.0)).xyz;
float ballRadius = sphere.w;
float ballAway = length(ballCentre);
vec3 ballForward = ballCentre / ballAway;
vec3 ballRight = normalize(cross(ballForward, abs(ballForward.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
vec3 ballUp = cross(ballRight, ballForward);
float ballReach = 1.06 * ballRadius * ballAway / sqrt(max(ballAway * ballAway - ballRadius * ballRadius, 1e-4 * ballRadius * ballRadius));
vec4 mvPosition = vec4(ballCentre + (ballRight * position.x + ballUp * position.y) * ballReach, 1.0);
vBall = vec4(ballCentre, ballRadius);
vAcross = mvPosition.xyz;
vAxisX = (modelViewMatrix * vec4(turn(sphereTurn, vec3(1.0, 0.0, 0.0)), 0.0)).xyz;
vAxisY = (modelViewMatrix * vec4(turn(sphereTurn, vec3(0.0, 1.0, 0.0)), 0.0)).xyz;
vBallColour = sphereValue(2).rgb;
gl_Position = projectionMatrix * mvPosition;`;

const findSurface = `
vec3 ballRay = normalize(vAcross);
float ballAlong = dot(ballRay, vBall.xyz);
float ballMiss = length(vBall.xyz - ballAlong * ballRay);
float cover = clamp((vBall.w - ballMiss) / max(fwidth(ballMiss), 1e-9) + 0.5, 0.0, 1.0);
if (cover <= 0.0) discard;
vec3 ballPoint = ballRay * (ballAlong - sqrt(max(vBall.w * vBall.w - ballMiss * ballMiss, 0.0)));
vec3 ballNormal = normalize(ballPoint - vBall.xyz);
vec2 ballLocal = vec2(dot(ballNormal, vAxisX), dot(ballNormal, vAxisY));
vec4 shadedPoint = vec4(ballPoint + ballNormal * 0.04 * vBall.w, 1.0);`;

function withQuickLight(shader: string): string {
    return shader.slice(0, shader.indexOf("#include <lights_physical_fragment>")) + quickLight + shader.slice(shader.indexOf("#include <aomap_fragment>"));
}

// The same light for less: one look into the shadow map, not five, and shorter formulas for the highlight and for how
// much of the sky is mirrored (the last one by Karis, "Physically Based Shading on Mobile", 2014).
const quickLight = `
{
    vec3 lampWay = directionalLights[0].direction;
    float lit = max(dot(normal, lampWay), 0.0);
    #if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
        vec3 inMap = (toShadow * shadedPoint).xyz;
        bool within = max(abs(inMap.x - 0.5), abs(inMap.y - 0.5)) <= 0.5 && inMap.z <= 1.0;
        float open = texture(directionalShadowMap[0], vec3(inMap.xy, inMap.z + directionalLightShadows[0].shadowBias));
        lit *= within ? open : 1.0;
    #endif
    vec3 matt = diffuseColor.rgb * (1.0 - metalness);
    vec3 shiny = mix(vec3(0.04), diffuseColor.rgb, metalness);
    float blur = roughness * roughness;
    vec3 between = normalize(lampWay - ballRay);
    float straight = dot(normal, between), turned = dot(lampWay, between);
    float peak = straight * straight * (blur * blur - 1.0) + 1.0;
    vec3 glint = shiny * (blur * blur / (peak * peak * max(turned * turned, 0.1) * (4.0 * blur + 2.0)));
    reflectedLight.directDiffuse = RECIPROCAL_PI * lit * directionalLights[0].color * (matt + glint);
    reflectedLight.indirectDiffuse = RECIPROCAL_PI * getHemisphereLightIrradiance(hemisphereLights[0], normal) * matt;
    vec4 r = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float edge = min(r.x * r.x, exp2(9.28 * dot(normal, ballRay))) * r.x + r.y;
    vec3 sky = skyLight(inverseTransformDirection(reflect(ballRay, normal), viewMatrix), roughness);
    reflectedLight.indirectSpecular = sky * (shiny * (r.z - 1.04 * edge) + (r.w + 1.04 * edge));
}
`;
