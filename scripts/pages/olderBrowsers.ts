import type { CSSOptions } from 'vite';

/** The oldest browsers that the pages of players and of the hall are for: those inside chat apps of phones of 2020. */
export const OLDEST_BROWSERS = ['chrome80', 'safari14.1', 'ios14.5'];

type Plugins = Exclude<NonNullable<CSSOptions['postcss']>, string>['plugins'];

const NEW_UNIT = /(\d)[dsl]v([hw])\b/g;
const MIX = /color-mix\(in srgb, (?<first>var\([^()]*\)|[^,()]+) (?<percent>\d+)%, (?<second>[^()]+)\)/g;
const KNOWS_UNIT = '(height: 1dvh)';
const KNOWS_MIX = '(color: color-mix(in srgb, red, red))';

/** A value without units and functions of 2022; `undefined`: there is none, and the place has its look without it. */
function olderValue(value: string): string | undefined {
  let isNone = false;
  const plain = value.replace(NEW_UNIT, '$1v$2').replace(MIX, (_, first: string, percent: string, second: string) => {
    const [chosen, other] = Number(percent) < 50 ? [second, first] : [first, second];
    // Without a theme this variable is not set.
    isNone ||= !chosen.startsWith('var(') && /^var\([^,]*\)$/.test(other);
    return chosen;
  });
  return isNone ? undefined : plain;
}

/** `8px calc(2 * 1px)`: its two parts. */
const partsOf = (value: string): string[] => value.match(/(?:[^\s()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];

/** The class of the element, by which rules of the same element find each other; otherwise the whole selector. */
function elementOf(selector: string): string {
  const plain = selector.replace(/:[\w-]+\((?:[^()]|\([^()]*\))*\)/g, '');
  return /\.[\w-]+(?=(?:\[[^\]]*\])*$)/.exec(plain)?.[0] ?? selector;
}

/**
 * Style sheets as the oldest browsers understand them, beyond the rewriting that Vite does: units and colours of 2022 get an older value beside
 * them, `gap` of a flex box gets margins (see older/flex-gap.ts), `overflow-wrap: anywhere` its former name.
 */
export const olderStyles: Plugins = [
  {
    postcssPlugin: 'older-browsers',
    OnceExit(root, { AtRule }) {
      const boxes = new Map<string, { isColumn: boolean; wraps: boolean }>();
      root.walkRules((rule) => {
        const own = new Map<string, string>();
        rule.each((node) => {
          if (node.type === 'decl') own.set(node.prop, node.value);
        });
        if (!/^(?:inline-)?flex$/.test(own.get('display') ?? '')) return;
        const box = { isColumn: own.get('flex-direction') === 'column', wraps: own.get('flex-wrap') === 'wrap' };
        for (const selector of rule.selectors) boxes.set(elementOf(selector), box);
      });
      root.walkRules((rule) => {
        if (rule.parent?.type === 'atrule' && 'name' in rule.parent && rule.parent.name === 'supports') return;
        const isFrame = rule.parent?.type === 'atrule' && 'name' in rule.parent && rule.parent.name === 'keyframes';
        const newer = new Map([KNOWS_UNIT, KNOWS_MIX].map((known) => [known, rule.clone({ nodes: [] })]));
        let gap: string | undefined;
        let isOther = false;
        rule.each((node) => {
          if (node.type !== 'decl') return;
          if (node.prop === 'gap') gap = node.value;
          if (node.prop === 'display') isOther = !node.value.endsWith('flex');
          if (node.prop === 'overflow-wrap' && node.value === 'anywhere')
            node.cloneBefore({ prop: 'word-break', value: 'break-word' });
          const value = olderValue(node.value);
          if (value === node.value) return;
          if (!isFrame) newer.get(node.value.includes('color-mix') ? KNOWS_MIX : KNOWS_UNIT)!.append(node.clone());
          if (value === undefined) node.remove();
          else node.value = value;
        });
        const margins = isOther || gap === undefined ? [] : marginsFor(rule.selectors, partsOf(gap));
        for (const { selector, prop, value } of margins) {
          const spaced = rule.clone({ nodes: [], selector });
          spaced.append({ prop, value, source: rule.source! });
          rule.after(spaced);
        }
        for (const [params, { nodes }] of newer) {
          if (nodes.length === 0) continue;
          const supports = new AtRule({ name: 'supports', params, source: rule.source! });
          supports.append(newer.get(params)!);
          rule.after(supports);
        }
      });

      function marginsFor(selectors: readonly string[], [row = '0', column = row]: readonly string[]) {
        return selectors.flatMap((selector) => {
          const box = boxes.get(elementOf(selector));
          if (!box) return [];
          const parent = `[data-no-gap] ${selector}`;
          if (box.wraps) return [{ selector: `${parent} > *`, prop: 'margin', value: `0 ${column} ${row} 0` }];
          const [prop, value] = box.isColumn ? ['margin-top', row] : ['margin-left', column];
          return [{ selector: `${parent} > :not([hidden]) ~ *`, prop, value }];
        });
      }
    },
  },
];
