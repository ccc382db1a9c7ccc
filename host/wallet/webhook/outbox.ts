/** An event: flat JSON with its type. */
export interface WebhookEvent {
  readonly type: string
  readonly [member: string]: unknown
}

/** Events that wait on disk until they are delivered. */
export interface Outbox {
  /** Written with the change that it tells of, in the same transaction of the service's database. */
  put(appId: string, event: WebhookEvent): void
}
