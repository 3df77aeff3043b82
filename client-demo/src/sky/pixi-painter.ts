// Shaders and uniforms without compiled code, which this page's content security policy forbids.
import 'pixi.js/unsafe-eval';
import { CanvasRenderer, Container, Sprite, Texture, WebGLRenderer } from 'pixi.js';
import { hasGraphicsCard } from './graphics.ts';
import { PICTURES, type Mark, type Picture } from './mark.ts';
import { pixelRatio, type Painter } from './painter.ts';
import { drawPictures } from './pictures.ts';

/** Light that is added to what is behind it. */
const SHINING: readonly Picture[] = ['glow', 'spark'];

/**
 * PixiJS, on WebGL where there is a graphics card for it and on its own 2D canvas elsewhere. Sprites are kept from frame to frame and only told
 * what they are now: nothing is allocated while it rains.
 * @throws when neither can be had
 */
export async function openPixiPainter(onLost: () => void): Promise<Painter> {
  const webgl = hasGraphicsCard();
  const renderer = webgl ? new WebGLRenderer() : new CanvasRenderer();
  const canvas = document.createElement('canvas');
  const ratio = pixelRatio();
  // No events, no accessibility layer, no ticker: the page has its own.
  await renderer.init({ canvas, backgroundAlpha: 0, antialias: true, resolution: ratio, autoDensity: false, skipExtensionImports: true, powerPreference: 'high-performance' });
  canvas.addEventListener('webglcontextlost', onLost);
  const drawn = drawPictures(ratio);
  const textures = Object.fromEntries(PICTURES.map((picture) => [picture, Texture.from(drawn[picture])])) as Record<Picture, Texture>;
  for (const texture of Object.values(textures)) texture.source.autoGenerateMipmaps = webgl;
  const stage = new Container();
  const sprites: Sprite[] = [];

  function dress(index: number, { picture, x, y, scaleX, scaleY, turn, alpha }: Mark): void {
    let sprite = sprites[index];
    if (!sprite) {
      sprite = new Sprite({ anchor: 0.5 });
      sprites.push(sprite);
      stage.addChild(sprite);
    }
    sprite.visible = true;
    if (sprite.texture !== textures[picture]) {
      sprite.texture = textures[picture];
      sprite.blendMode = SHINING.includes(picture) ? 'add' : 'normal';
    }
    sprite.position.set(x, y);
    sprite.scale.set(scaleX / ratio, scaleY / ratio);
    sprite.rotation = turn;
    sprite.alpha = alpha;
  }

  return {
    name: webgl ? 'webgl' : 'canvas',
    canvas,
    fit: (width, height) => renderer.resize(Math.max(1, width), Math.max(1, height)),
    paint(marks) {
      marks.forEach((mark, index) => dress(index, mark));
      for (const sprite of sprites.slice(marks.length)) sprite.visible = false;
      renderer.render(stage);
    },
    end() {
      canvas.removeEventListener('webglcontextlost', onLost);
      canvas.remove();
      renderer.destroy();
    },
  };
}
