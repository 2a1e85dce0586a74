/** Unsaved form input, kept in this tab only, so that it survives a login. */

const keyOf = (name: string): string => `overlay-console.draft.${name}`;

export type Draft = Readonly<Record<string, unknown>>;

export const draftOf = (name: string): Draft | undefined => {
  const text = sessionStorage.getItem(keyOf(name));
  return text === null ? undefined : (JSON.parse(text) as Draft); // `keepDraft` wrote it
};

export const keepDraft = (name: string, draft: Draft): void => {
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(draft));
  } catch {
    // The storage is full: the form works without a draft.
  }
};

export const dropDraft = (name: string): void => sessionStorage.removeItem(keyOf(name));

/** Drops what a person has left behind at the end of their session. */
export const dropDrafts = (): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(keyOf(''))) sessionStorage.removeItem(key);
};
