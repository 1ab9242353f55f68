/** Says how the chart looks. Its library draws on a canvas, which knows no custom properties. */
import uPlot from 'uplot';
import type { Colours } from '../../lib/use-colours.ts';

const COMPACT = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });
const MARK_PX = 5;
/** Records are whole, so the steps of the axis are, too. */
const STEPS = Array.from({ length: 10 }, (_, i) => 10 ** i).flatMap((one) => [
  one,
  2 * one,
  5 * one,
]);
/** The line keeps this share of its height free above it. */
const ROOM = 1.08;

interface ChartLook {
  readonly colours: Colours;
  readonly marks: readonly number[];
  /** Gets the number of the point under the pointer, or null. */
  readonly onHover: (index: number | null) => void;
}

export function chartOptions({
  colours,
  marks,
  onHover,
}: ChartLook): Omit<uPlot.Options, 'width' | 'height'> {
  const axis = {
    stroke: colours.text,
    font: '12px "Geist Variable", system-ui, sans-serif',
    grid: { stroke: colours.grid, width: 1 },
    ticks: { show: false },
  };
  return {
    legend: { show: false },
    cursor: { y: false, points: { size: 8, fill: colours.line }, drag: { x: true, y: false } },
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, most * ROOM)] } },
    axes: [
      {
        ...axis,
        size: 30,
        space: 80,
        grid: { show: false },
        values: (...[, splits, , , step]) => splits.map(dayOrTime(step)),
      },
      {
        ...axis,
        size: 48,
        incrs: STEPS,
        values: (_chart, splits) => splits.map((value) => COMPACT.format(value)),
      },
    ],
    series: [
      {},
      {
        stroke: colours.line,
        width: 1.5,
        fill: colours.area,
        paths: uPlot.paths.stepped?.({ align: 1 }),
        points: { show: false },
      },
    ],
    hooks: {
      setCursor: [(chart) => onHover(chart.cursor.idx ?? null)],
      draw: [(chart) => drawMarks(chart, marks, colours.mark)],
    },
  };
}

const DAY_S = 86_400;
const MINUTE_S = 60;

/** Returns a function that says a time as exactly as the step between two of them, which is in seconds, needs. */
const dayOrTime =
  (step: number) =>
  (seconds: number): string => {
    const at = new Date(seconds * 1000);
    return step >= DAY_S
      ? at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
      : at.toLocaleTimeString('en-GB', {
          hour: '2-digit',
          minute: '2-digit',
          ...(step < MINUTE_S && { second: '2-digit' }),
        });
  };

/** A triangle on the axis has another shape than the line, not only another colour. */
function drawMarks(chart: uPlot, marks: readonly number[], colour: string): void {
  const { ctx } = chart;
  const size = MARK_PX * devicePixelRatio;
  const bottom = chart.bbox.top + chart.bbox.height;
  ctx.save();
  ctx.fillStyle = colour;
  for (const at of marks) {
    const x = chart.valToPos(at / 1000, 'x', true);
    if (x < chart.bbox.left || x > chart.bbox.left + chart.bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x - size, bottom);
    ctx.lineTo(x, bottom - size * 1.7);
    ctx.lineTo(x + size, bottom);
    ctx.fill();
  }
  ctx.restore();
}
