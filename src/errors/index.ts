export {
  ApiError,
  type ApiErrorOptions,
  type ErrorCause,
  explained,
  type FailingCheck,
  invalidField,
  notFound,
  notFoundField,
  unauthorized,
  unavailable,
} from './api-error.ts';
export { catalog, type ErrorCode } from './catalog.ts';
export { shownValue } from './shown-value.ts';
