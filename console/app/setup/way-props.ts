import type { Session } from '../session.ts';

/** The properties of the page of a setup. The query of its address has the step, and then the id of what was created. */
export interface WayProps {
  readonly session: Session;
  readonly query: Readonly<Record<string, string>>;
}
