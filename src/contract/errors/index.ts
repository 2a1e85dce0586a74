export { type AnswerOptions, catalogMessage, errorBody, type PlainAnswer, retryAfterHeader } from './answer.ts';
export {
  ApiError,
  type ApiErrorOptions,
  administratorsOnly,
  explained,
  invalidField,
  isApiError,
  missingBody,
  notFound,
  notFoundField,
  ofKnownCaller,
  ofRequest,
  unauthorized,
  unavailable,
} from './api-error.ts';
export type { CauseOf } from './catalog.ts';
export { type CatalogEntry, catalog, type ErrorCode, RETRY_AFTER } from './catalog.ts';
export {
  type Causes,
  type CursorCause,
  type ErrorCause,
  type FailingCheck,
  type FieldCause,
  isCause,
  type MessageCause,
  type PostureCause,
} from './causes.ts';
export { shownValue } from './shown-value.ts';
