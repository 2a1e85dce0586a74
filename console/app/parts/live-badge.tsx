import type { Live } from '../live.ts';
import { texts } from '../texts.ts';
import { fullDate } from '../words.ts';

const t = texts.liveness;

/** A badge that says whether the page is up to date. */
export const LiveBadge = ({ live: { state } }: { readonly live: Live }) => (
  <span class={state === 'live' ? 'live on' : 'live'} role="status">
    {t[state]}
  </span>
);

/** A notice that changes were missed. */
export const MissedChanges = ({ live: { missedSince } }: { readonly live: Live }) =>
  missedSince === undefined ? null : (
    <p class="notice warn" role="status">
      {t.missed(fullDate(missedSince))}
    </p>
  );
