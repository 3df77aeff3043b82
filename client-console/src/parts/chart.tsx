import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface Line {
  name: string;
  /** A custom property of the page, such as `--gold`. */
  colour: string;
  filled?: boolean;
}

interface ChartProps {
  /** Epoch seconds, then one row for each line. */
  rows: readonly (readonly number[])[];
  lines: readonly Line[];
}

/** Lines over time. What they show is also said as figures beside it, so nobody has to read a canvas. */
export function Chart({ rows, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const names = lines.map(({ name }) => name).join();

  useEffect(() => {
    const element = place.current!;
    const styles = getComputedStyle(element);
    const colour = (name: string) => styles.getPropertyValue(name).trim();
    const axis = { stroke: colour('--chart-ink'), grid: { stroke: colour('--chart-line'), width: 1 }, ticks: { show: false }, font: `12px ${styles.fontFamily}` };
    plot.current = new uPlot({
      width: element.clientWidth, height: element.clientHeight,
      legend: { show: false }, cursor: { show: false },
      scales: { y: { range: (_plot, _least, most) => [0, Math.max(5, most * 1.1)] } },
      axes: [{ ...axis, space: 90, values: (_plot, times) => times.map((time) => new Date(time * 1_000).toLocaleTimeString('en-GB')) }, { ...axis, size: 56 }],
      series: [{}, ...lines.map((line) => ({
        label: line.name, stroke: colour(line.colour), width: 2, points: { show: false }, ...(line.filled && { fill: colour(`${line.colour}-soft`) }),
      }))],
    }, rows as uPlot.AlignedData, element);
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: element.clientHeight }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.current?.destroy();
    };
  }, [names]);

  useEffect(() => plot.current?.setData(rows as uPlot.AlignedData), [rows]);
  return <div class="chart" ref={place} aria-hidden="true" />;
}
