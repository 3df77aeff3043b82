import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { clockText } from '../words/figures.ts';

export interface Line {
  name: string;
  /** A custom property of the page, such as `--gold`. */
  colour: string;
  filled?: boolean;
}

/** Minimum time span, so that the first seconds are not stretched over the whole width. */
const SPAN_S = 60;

/** The letters of the axes, px: larger where the letters around are, as on a big screen. */
const axisPxOf = (fontPx: number): number => Math.max(AXIS_PX, Math.round(0.75 * fontPx));
const AXIS_PX = 12;

interface ChartProps {
  /** Epoch seconds, then one row for each line. */
  rows: readonly (readonly number[])[];
  lines: readonly Line[];
}

/**
 * Lines over time. Each has its own scale: a few wins would be a flat line below thousands of grabs. The same figures
 * are shown as text beside the chart, for screen readers.
 */
export function Chart({ rows, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [axisPx, setAxisPx] = useState(AXIS_PX);
  const names = lines.map(({ name }) => name).join();

  useEffect(() => {
    const element = place.current!;
    const styles = getComputedStyle(element);
    const colour = (name: string) => styles.getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--chart-ink'),
      grid: { stroke: colour('--chart-line'), width: 1 },
      ticks: { show: false },
      font: `${axisPx}px ${styles.fontFamily}`,
    };
    const scaled = (px: number) => (px * axisPx) / AXIS_PX;
    const range = (_plot: uPlot, _least: number, most: number): uPlot.Range.MinMax => [
      0,
      Math.max(4, Math.ceil(most * 1.1)),
    ];
    const whole = (_plot: uPlot, marks: number[]) =>
      marks.map((mark) => (Number.isInteger(mark) ? mark.toLocaleString('en-US') : ''));
    plot.current = new uPlot(
      {
        width: element.clientWidth,
        height: element.clientHeight,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { range: (_plot, first, last) => [Math.min(first, last - SPAN_S), last] },
          ...Object.fromEntries(lines.map((line) => [line.name, { range }])),
        },
        axes: [
          {
            ...axis,
            space: scaled(90),
            size: scaled(26),
            incrs: [5, 10, 15, 30, 60, 120, 300],
            values: (_plot, times) => times.map((time) => clockText(time * 1_000, 'en')),
          },
          ...lines.map((line, i): uPlot.Axis => ({
            ...axis,
            scale: line.name,
            side: i === 0 ? 3 : 1,
            size: scaled(50),
            stroke: colour(line.colour),
            values: whole,
            ...(i > 0 && { grid: { show: false } }),
          })),
        ],
        series: [
          {},
          ...lines.map((line) => ({
            label: line.name,
            scale: line.name,
            stroke: colour(line.colour),
            width: 2,
            points: { show: false },
            ...(line.filled && { fill: colour(`${line.colour}-soft`) }),
          })),
        ],
      },
      rows as uPlot.AlignedData,
      element,
    );
    const resized = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.clientWidth, height: element.clientHeight });
      setAxisPx(axisPxOf(Number.parseFloat(getComputedStyle(element).fontSize)));
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.current?.destroy();
    };
  }, [names, axisPx]);

  useEffect(() => plot.current?.setData(rows as uPlot.AlignedData), [rows]);
  return <div class="chart" ref={place} aria-hidden="true" />;
}
