/** Why a controller cannot work (`error`), or what an operator should check (`warning`). */
export interface HealthReason {
  /**
   * `database`: it does not respond; `migrations`: the database lacks migrations of this release, or a newer release has migrated it; `lease`: the
   * membership was not renewed, so other controllers consider this one offline; `clock`: it is behind the latest change; `certificate`: the signing
   * certificate, or that of the server, has expired or expires within 14 days, or a certificate of the authority in the store does within 90 days; `address`: `settings.address` was never set, so enrollment tokens cannot be created.
   */
  readonly concerns: 'database' | 'migrations' | 'lease' | 'clock' | 'certificate' | 'address';
  readonly severity: 'error' | 'warning';
  /** A sentence for operators, without secrets. */
  readonly message: string;
}

/** The health of a controller. */
export interface Health {
  /** False if at least one reason is an error. */
  readonly isHealthy: boolean;
  /**
   * `away`: the database does not respond; `superseded`: a newer release has migrated it, and this process cannot write until it is upgraded; `outdated`:
   * it lacks migrations that this release needs.
   */
  readonly store: 'ready' | 'away' | 'superseded' | 'outdated';
  /** Errors and warnings; empty if there are none. */
  readonly reasons: readonly HealthReason[];
}
