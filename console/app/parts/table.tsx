import type { ComponentChildren } from 'preact';

interface Props {
  /** The headings of the columns. */
  readonly columns: readonly string[];
  readonly class?: string;
  /** One or more `tbody` elements. */
  readonly children: ComponentChildren;
}

/** A table that scrolls where the screen is too small for it. */
export const Table = ({ columns, class: name, children }: Props) => (
  <div class="scroll">
    <table class={name}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  </div>
);
