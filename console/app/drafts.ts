/** Unsaved form input, kept in this tab only, so that it survives a login of the same person. */
import { keyOf } from './settings.ts';

const draftKey = (name: string): string => keyOf(`draft ${name}`);
/** Whose drafts these are. */
const OWNER = keyOf('draft owner');

export type Draft = Readonly<Record<string, unknown>>;

export const draftOf = (name: string): Draft | undefined => {
  const text = sessionStorage.getItem(draftKey(name));
  return text === null ? undefined : (JSON.parse(text) as Draft); // `keepDraft` wrote it
};

export const keepDraft = (name: string, draft: Draft): void => {
  try {
    sessionStorage.setItem(draftKey(name), JSON.stringify(draft));
  } catch {
    // The storage is full: the form works without a draft.
  }
};

export const dropDraft = (name: string): void => sessionStorage.removeItem(draftKey(name));

/** Drops what someone else has left behind in this tab. */
export const keepDraftsOf = (identityId: string): void => {
  if (sessionStorage.getItem(OWNER) !== identityId) dropDrafts();
  sessionStorage.setItem(OWNER, identityId);
};

/** Drops what a person has left behind at the end of their session. */
export const dropDrafts = (): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftKey(''))) sessionStorage.removeItem(key);
};
