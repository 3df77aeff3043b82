/** Names of drivers that compute on the processor what a graphics card would. */
const IMITATED = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Whether there is a graphics card behind WebGL. Where it is only imitated, a plain canvas is quicker and keeps the phone cooler. */
export function hasGraphicsCard(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const told = String(gl.getParameter(gl.RENDERER));
  // Some browsers tell the truth only to those who ask for it by this name.
  const unmasked = /webkit/i.test(told) ? gl.getExtension('WEBGL_debug_renderer_info') : null;
  const name = unmasked ? String(gl.getParameter(unmasked.UNMASKED_RENDERER_WEBGL)) : told;
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !IMITATED.test(name);
}
