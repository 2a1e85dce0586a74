/**
 * The files of the console. In a checkout, they are bundled at the first request; `npm run build` replaces this module with one that
 * contains them.
 */
export interface Assets {
  readonly script: string;
  /** The files that the script loads on demand, by name: the texts of each language other than English. */
  readonly parts: Readonly<Record<string, string>>;
  readonly styles: string;
  readonly icon: string;
}

export const assets = async (): Promise<Assets> => (await import('./bundle.ts')).bundled();
