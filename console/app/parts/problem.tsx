import { ApiError } from '../../../src/client/index.ts';
import { texts } from '../texts.ts';

const { hints } = texts;

/** What a person can do about an error. */
const hintOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return error instanceof TypeError ? hints.unexpected : hints.invalid;
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

const messageOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null) return error.message;
  const { reason, message } = cause as { readonly reason?: unknown; readonly message?: unknown }; // each code has its own cause
  const more = reason ?? message;
  return typeof more !== 'string' || more === '' || error.message.includes(more) ? error.message : `${error.message}: ${more}`;
};

/** An error: what went wrong, what to do, and a way on. */
export const Problem = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) => (
  <div class="notice bad" role="alert">
    <p>
      <strong>{messageOf(error)}</strong>
    </p>
    <p>{hintOf(error)}</p>
    {error instanceof ApiError && error.requestId && <p class="muted small">{texts.requestId(error.requestId)}</p>}
    {retry && (
      <button type="button" onClick={retry}>
        {texts.retry}
      </button>
    )}
  </div>
);
