import type { CoreRequest } from '../http/message.ts';
import type { UnreadAnswers } from '../http/unread-answers.ts';

/** A request below a path. What it has else is read on demand from the request itself, whose getters need it as `this`. */
export class MountedRequest implements CoreRequest {
  readonly #request: CoreRequest;
  readonly target: string;
  readonly #prefix: string;

  constructor(request: CoreRequest, target: string, prefix: string) {
    this.#request = request;
    this.target = target;
    this.#prefix = prefix;
  }

  /** @returns undefined if the request is not below the path */
  static below(mount: string, request: CoreRequest): MountedRequest | undefined {
    const prefix = mount.replace(/\/+$/, '');
    if (!request.target.startsWith(prefix)) return undefined;
    const rest = request.target.slice(prefix.length);
    if (rest !== '' && rest[0] !== '/' && rest[0] !== '?') return undefined;
    return new MountedRequest(request, rest[0] === '/' ? rest : `/${rest}`, prefix);
  }

  get method(): string {
    return this.#request.method;
  }

  header(name: string): string | undefined {
    return this.#request.header(name);
  }

  body(limit: number): Promise<Uint8Array> {
    return this.#request.body(limit);
  }

  get peerCertificates(): readonly Uint8Array[] {
    return this.#request.peerCertificates ?? [];
  }

  get remoteAddress(): string {
    return this.#request.remoteAddress ?? '';
  }

  get host(): string | undefined {
    return this.#request.host;
  }

  get mount(): string {
    return (this.#request.mount ?? '') + this.#prefix;
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal;
  }

  get requestId(): string | undefined {
    return this.#request.requestId;
  }

  get unread(): UnreadAnswers | undefined {
    return this.#request.unread;
  }
}
