import 'uplot/dist/uPlot.min.css';
import { counted } from 'quarry-text/numbers';
import { exact } from 'quarry-text/time';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { CountLine } from '../../lib/counts.ts';
import { useColours } from '../../lib/use-colours.ts';
import { chartOptions } from './chart-options.ts';

const HEIGHT_PX = 210;

interface StepChartProps {
  readonly line: CountLine;
  /** They stand on the axis, at these times in milliseconds since 1970. */
  readonly marks: readonly number[];
  /** Says what the chart shows to those who do not see it. */
  readonly label: string;
}

/** A count is the same until the next commit, so the line has steps. */
export function StepChart({ line, marks, label }: StepChartProps) {
  const room = useRef<HTMLDivElement>(null);
  const colours = useColours(room);
  const [hovered, setHovered] = useState<number | null>(null);
  // Each drawing of the page makes other lists, mostly with the same values.
  const values = JSON.stringify({ ...line, marks });
  useEffect(() => {
    const element = room.current;
    if (!element || !colours) return;
    const shown = JSON.parse(values) as { times: number[]; totals: number[]; marks: number[] };
    const chart = new uPlot(
      {
        ...chartOptions({ colours, marks: shown.marks, onHover: setHovered }),
        width: element.clientWidth,
        height: HEIGHT_PX,
      },
      [shown.times.map((at) => at / 1000), shown.totals],
      element,
    );
    const resizing = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    resizing.observe(element);
    return () => {
      resizing.disconnect();
      chart.destroy();
    };
  }, [colours, values]);
  const at = hovered === null ? undefined : line.times[hovered];
  return (
    <figure>
      <div ref={room} className="chart" role="img" aria-label={label} />
      <figcaption className="small soft">
        {at !== undefined && hovered !== null
          ? `${exact(at)}: ${counted(line.totals[hovered] ?? 0, 'record')}`
          : label}
      </figcaption>
    </figure>
  );
}
