import { keepItemPicture } from '../../../operator/sale/picture.ts';
import { ITEM_PICTURE_LIMITS } from '../../../sale/picture.ts';
import type { RainCommand } from '../../command.ts';
import { accepted } from '../../exit.ts';
import { readInputFile } from '../../inputFile.ts';

const { bytesMax, sidePixelsMax } = ITEM_PICTURE_LIMITS;

export function addPictureCommand(sale: RainCommand): void {
  sale
    .command('picture')
    .summary('upload a picture for items')
    .description(
      `Keeps a picture and prints its address, the picture of an item in --items. PNG, JPEG or WebP up to ${bytesMax / 1_024} KiB and ${sidePixelsMax} px a side; it is kept as WebP, without what a camera has written into it. Everybody can read it.`,
    )
    .argument('<file>', 'the file; - is stdin')
    .json()
    .example('rain sale picture tee.jpg')
    .runsWithContext(async (context, file: string) => {
      const bytes = await readInputFile(sale.terminal, 'file', file, bytesMax);
      const { picture, bytes: length } = accepted(await keepItemPicture(context, bytes));
      return { value: { picture, bytes: length }, text: picture };
    });
}
