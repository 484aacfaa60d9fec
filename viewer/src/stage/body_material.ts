// The surface of bodies: a standard material whose shader also draws crease edges and the two tones by which one sees a
// round body turn, mirrors a sky given by a formula (a texture of one would cost more than all else together where
// there is no graphics card), and steps back when force chains are shown.

import { BackSide, Color, FrontSide, Matrix4, MeshStandardMaterial, Vector3 } from "three";
import type { Look } from "./colours";

/// Shared by all bodies' materials.
export interface Surroundings {
    hazeColour: { value: Color };
    hazeAmount: { value: number };      // 0: none, 1: bodies have the background's colour
    skyBright: { value: number };
    lamp: { value: Vector3 };           // towards the key light
    shadow: Matrix4;                    // from the world to the shadow map
}

export interface Finish { look: Look; creases: boolean; twoTone: boolean; around: Surroundings; back: boolean }

export function bodyMaterial(finish: Finish): MeshStandardMaterial {
    const { look, creases, twoTone, around, back } = finish;
    const clear = back || look.opacity < 1;
    const material = new MeshStandardMaterial({
        roughness: look.roughness,
        metalness: look.metalness,
        side: back ? BackSide : FrontSide,
        transparent: clear,
        opacity: back ? 0.16 : look.opacity,
        depthWrite: !clear,
    });
    material.onBeforeCompile = (shader) => {
        const { hazeColour, hazeAmount, skyBright, lamp } = around;
        Object.assign(shader.uniforms, { hazeColour, hazeAmount, skyBright, lamp });
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>", `#include <common>\n${vertexNames(creases)}`)
            .replace("#include <begin_vertex>", `#include <begin_vertex>\nvLocal = position;\n${creases ? "vCrease = crease;" : ""}`);
        shader.fragmentShader = shader.fragmentShader
            .replace("#include <common>", `#include <common>\n${fragmentNames}`)
            .replace("#include <color_fragment>", `#include <color_fragment>\n${twoTone ? tones : ""}${creases ? lines : ""}`)
            .replace("#include <lights_fragment_maps>", `#include <lights_fragment_maps>\n${mirror}`)
            .replace("#include <tonemapping_fragment>", "#include <tonemapping_fragment>\ngl_FragColor.rgb = mix(gl_FragColor.rgb, hazeColour, hazeAmount);");
    };
    material.customProgramCacheKey = () => `body ${creases} ${twoTone}`;
    return material;
}

function vertexNames(creases: boolean): string {
    return `varying vec3 vLocal;\nvarying vec3 vCrease;\n${creases ? "attribute vec3 crease;" : ""}`;
}

// The sky: bright above, a darker floor, a wide window by the key light and a dimmer one across; rough surfaces see it
// blurred.
const fragmentNames = `
varying vec3 vLocal;
varying vec3 vCrease;
uniform vec3 hazeColour, lamp;
uniform float hazeAmount, skyBright;
float window_(vec3 way, vec3 middle, float size, float blur) {
    return smoothstep(size - blur, size + blur, dot(way, middle));
}
vec3 skyLight(vec3 way, float roughness) {
    float blur = 0.04 + 0.5 * roughness;
    float level = smoothstep(-0.15 - blur, 0.25 + blur, way.z);
    vec3 sky = mix(vec3(0.34, 0.33, 0.32), mix(vec3(0.62, 0.64, 0.67), vec3(1.0, 1.02, 1.05), max(way.z, 0.0)), level);
    vec3 across = normalize(vec3(-lamp.xy, 0.6 * lamp.z));
    float panes = 2.2 * window_(way, lamp, 0.86, blur) + 0.9 * window_(way, across, 0.8, blur);
    return skyBright * (sky + panes * (1.0 - 0.75 * roughness));
}`;

const mirror = `
radiance += skyLight(inverseTransformDirection(reflect(-geometryViewDir, geometryNormal), viewMatrix), material.roughness);
`;

// Four sectors around z, every second one darker; their borders are one pixel soft.
const tones = `
{
    vec2 sector = normalize(vLocal.xy + 1e-6);
    float side = sector.x * sector.y;
    float tone = clamp(side / max(fwidth(side), 1e-4) + 0.5, 0.0, 1.0);
    diffuseColor.rgb *= mix(0.74, 1.06, tone);
}
`;

// A line one or two pixels wide along creases, that goes away where triangles are only a few pixels large.
const lines = `
{
    vec3 step_ = max(fwidth(vCrease), vec3(1e-6));
    vec3 line = (1.0 - smoothstep(0.5, 1.6, vCrease / step_)) * (1.0 - smoothstep(0.06, 0.3, step_));
    diffuseColor.rgb *= 1.0 - 0.42 * max(line.x, max(line.y, line.z));
}
`;
