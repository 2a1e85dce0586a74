/** An object that is JSON text already, e.g. remembered from an earlier call. */
export class Written {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** Where it stands in something else. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** An output as JSON text. */
export const jsonOf = (output: unknown): string => (output instanceof Written ? output.text : (JSON.stringify(output) ?? 'null'));
