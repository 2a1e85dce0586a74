/** A field of the request, or of the entity to be written, is invalid. */
export interface FieldCause {
  /** Path of the field: `name`, `0.configId`, `Content-Type`. */
  readonly field: string;
  readonly reason: string;
  /** The invalid value as text, at most 256 characters; `***` if it may be a secret. */
  readonly value: string;
}

/** A message that explains the error. */
export interface MessageCause {
  /** A code in the catalogue, or a network error code such as `ECONNREFUSED` if a client got no answer. */
  readonly code: string;
  readonly message: string;
}

/** Posture checks failed. */
export interface PostureCause {
  readonly message: string;
  /** The failing checks, by id of the service policy. */
  readonly data: Readonly<Record<string, readonly FailingCheck[]>>;
}

/** A posture check that the endpoint failed. */
export interface FailingCheck {
  readonly id: string;
  readonly typeId: string;
  readonly isPassing: false;
}

/** The change log begins after the requested revision. */
export interface CursorCause {
  readonly message: string;
  /** The earliest revision after which no change is missing. */
  readonly earliest: number;
}

/** Access that an identity would lose. */
export interface LostAccess {
  readonly identityId: string;
  /** Name of the identity. */
  readonly identity: string;
  readonly serviceId: string;
  /** Name of the service. */
  readonly service: string;
  /** `Dial` or `Bind`. */
  readonly type: string;
}

/** A write would take access away. */
export interface LostAccessCause {
  readonly message: string;
  /** Number of all losses. */
  readonly lostCount: number;
  /** The first 100 losses, ordered by name; empty for a caller with limited rights. */
  readonly lost: readonly LostAccess[];
}

/** Policy tests would fail. */
export interface BrokenTestsCause {
  readonly message: string;
  /** Number of all tests that would fail. */
  readonly brokenCount: number;
  /** The first 100 of them; empty for a caller with limited rights. */
  readonly brokenTests: readonly { readonly id: string; readonly name: string }[];
}

/** The types of causes, by the name that the error catalogue uses. */
export interface Causes {
  readonly field: FieldCause;
  readonly message: MessageCause;
  readonly posture: PostureCause;
  readonly cursor: CursorCause;
  readonly lostAccess: LostAccessCause;
  readonly brokenTests: BrokenTestsCause;
  readonly none: undefined;
}

/** The details of an error, which never contain secrets. */
export type ErrorCause = NonNullable<Causes[keyof Causes]>;

/** The required members of each type of cause; undefined if an error has none. */
const MEMBERS: { readonly [K in keyof Causes]: Readonly<Record<string, 'string' | 'number' | 'object'>> | undefined } = {
  field: { field: 'string', reason: 'string', value: 'string' },
  message: { code: 'string', message: 'string' },
  posture: { message: 'string', data: 'object' },
  cursor: { message: 'string', earliest: 'number' },
  lostAccess: { message: 'string', lostCount: 'number', lost: 'object' },
  brokenTests: { message: 'string', brokenCount: 'number', brokenTests: 'object' },
  none: undefined,
};

/** True if a value parsed from JSON is a cause of the given type. */
export const isCause = (kind: keyof Causes, value: unknown): boolean => {
  const members = MEMBERS[kind];
  if (!members) return value === undefined;
  if (typeof value !== 'object' || value === null) return false;
  const cause = value as Readonly<Record<string, unknown>>; // missing members are undefined
  return Object.entries(members).every(([name, type]) => cause[name] !== null && typeof cause[name] === type);
};
