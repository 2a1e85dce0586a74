/** Unsaved form input, stored in this tab only, so that it survives another login of the same person. */
import type { FormObject } from './entered.ts';
import { isObject } from './json-schema.ts';
import { storageKey } from './settings.ts';

const draftKey = (name: string): string => storageKey(`draft ${name}`);
const reasonKey = (name: string): string => draftKey(`reason ${name}`);
/** The key of the id of the identity that owns the drafts. */
const OWNER = storageKey('draft owner');

/** The state of an entity when its form was opened. Entries are compared with it if the entity has changed since. */
export interface OpenedEntity {
  readonly version: number | undefined;
  readonly shown: FormObject;
}

export interface Draft {
  /** The position of the chosen variant of the form. */
  readonly variant?: number;
  /** The fields in which something was entered. */
  readonly entered: FormObject;
  /** Undefined for a new entity. */
  readonly opened?: OpenedEntity;
}

/** The draft of a form; undefined if there is none, or another release stored it in another format. */
export const loadDraft = (name: string): Draft | undefined => {
  const text = sessionStorage.getItem(draftKey(name));
  try {
    const draft = JSON.parse(text ?? 'null') as Partial<Draft> | null;
    return isObject(draft?.entered) && (draft?.opened === undefined || isObject(draft.opened.shown)) ? (draft as Draft) : undefined; // `saveDraft` wrote it
  } catch {
    return undefined;
  }
};

/** Stores a draft. @returns false if it is too large; the previous draft is deleted then */
export const saveDraft = (name: string, draft: Draft): boolean => storeText(draftKey(name), JSON.stringify(draft));

export const deleteDraft = (name: string): void => sessionStorage.removeItem(draftKey(name));

/** The reason for a change that has not been made yet; empty if there is none. */
export const loadReason = (name: string): string => sessionStorage.getItem(reasonKey(name)) ?? '';

export const saveReason = (name: string, reason: string): void => {
  if (reason === '') deleteReason(name);
  else storeText(reasonKey(name), reason);
};

export const deleteReason = (name: string): void => sessionStorage.removeItem(reasonKey(name));

const storeText = (key: string, text: string): boolean => {
  try {
    sessionStorage.setItem(key, text);
    return true;
  } catch {
    // The storage is full, and the stored text is older than that of the form.
    sessionStorage.removeItem(key);
    return false;
  }
};

/** Deletes the drafts of any other identity in this tab. */
export const claimDrafts = (identityId: string): void => {
  if (sessionStorage.getItem(OWNER) !== identityId) deleteAllDrafts();
  sessionStorage.setItem(OWNER, identityId);
};

/** Deletes the drafts of this tab, at the end of a session. */
export const deleteAllDrafts = (): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftKey(''))) sessionStorage.removeItem(key);
};
