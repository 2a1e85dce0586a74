const [WIDTH, HEIGHT] = [720, 140];
/** The height of a bar with a small amount, which must be visible. */
const LEAST = 2;

interface Props {
  readonly amounts: readonly number[];
  /** The text of a bar. */
  readonly titleOf: (index: number) => string;
  readonly caption: string;
}

/** Amounts over time as bars, the earliest first. */
export const Bars = ({ amounts, titleOf, caption }: Props) => {
  const most = Math.max(...amounts);
  const width = WIDTH / amounts.length;
  return (
    <figure class="scroll">
      <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={caption}>
        {amounts.map((amount, index) => {
          const height = amount === 0 ? 0 : Math.max(LEAST, (amount / most) * HEIGHT);
          return (
            <rect key={index} x={index * width + 1} y={HEIGHT - height} width={width - 2} height={height}>
              <title>{titleOf(index)}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="muted small">{caption}</figcaption>
    </figure>
  );
};
