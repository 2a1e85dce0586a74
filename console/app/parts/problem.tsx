import { ApiError } from '../../../client/index.ts';
import { sessionEnded } from '../session.ts';
import { texts } from '../texts.ts';

const { hints } = texts;

/** True if a change was refused because the version of the entity has changed. */
export const isOutdated = (error: unknown): boolean => error instanceof ApiError && error.code === 'PRECONDITION_FAILED';

/** The instruction for the user after an error. */
const hintOf = (error: unknown, isOfField: boolean): string => {
  if (!(error instanceof ApiError)) return error instanceof TypeError ? hints.unexpected : hints.invalid;
  if (isOfField) return hints.invalid;
  if (hasNoSession(error)) return hints.ended;
  if (error.code === 'SERVER_UNAVAILABLE') return hints.offline;
  if (error.status === 404 && 'field' in Object(error.cause)) return hints.invalid;
  if (error.status === 412) return hints.changed;
  return HINTS[error.status] ?? hints.unexpected;
};

const HINTS: Readonly<Record<number, string>> = {
  400: hints.invalid,
  401: hints.forbidden,
  403: hints.forbidden,
  404: hints.notFound,
  409: hints.conflict,
  422: hints.invalid,
  429: hints.busy,
  503: hints.busy,
};

/** True for the refusal of a session that has ended. Its text is for programs. */
const hasNoSession = (error: ApiError): boolean => error.status === 401 && sessionEnded.get();

const messageOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (hasNoSession(error)) return texts.ended;
  const { reason, message } = Object(error.cause) as { readonly reason?: unknown; readonly message?: unknown }; // each code has its own cause
  const more = reason ?? message;
  const text = error.code === 'UNAUTHORIZED' ? texts.mayNot : error.message;
  return typeof more !== 'string' || more === '' || text.includes(more) ? text : `${text}: ${more}`;
};

interface Props {
  readonly error: unknown;
  readonly retry?: () => void;
  /** True if the error is shown beside a field as well. */
  readonly isOfField?: boolean;
}

/** An error with its reason, an instruction, and a button to try again. */
export const Problem = ({ error, retry, isOfField = false }: Props) => (
  <div class="notice bad" role="alert">
    <p>
      <strong>{messageOf(error)}</strong>
    </p>
    <p>{hintOf(error, isOfField)}</p>
    {error instanceof ApiError && error.requestId && <p class="muted small">{texts.requestId(error.requestId)}</p>}
    {retry && (
      <button type="button" onClick={retry}>
        {texts.retry}
      </button>
    )}
  </div>
);
