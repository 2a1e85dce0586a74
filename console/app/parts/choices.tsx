interface Props<C extends string> {
  readonly label: string;
  readonly chosen: C;
  readonly choices: readonly C[];
  readonly names: Readonly<Record<C, string>>;
  readonly hrefFor: (choice: C) => string;
}

/** Links to the same page with another choice, of which the current one is marked. */
export const Choices = <C extends string>({ label, chosen, choices, names, hrefFor }: Props<C>) => (
  <ul class="choices" aria-label={label}>
    {choices.map((choice) => (
      <li key={choice}>
        <a href={hrefFor(choice)} aria-current={choice === chosen ? 'true' : undefined}>
          {names[choice]}
        </a>
      </li>
    ))}
  </ul>
);
