/** An event: flat JSON with a type. */
export interface WebhookEvent {
  readonly type: string
  readonly [member: string]: unknown
}

/** Events stored until they are delivered. */
export interface Outbox {
  /** Stores an event within the database transaction of the change that it reports. */
  put(appId: string, event: WebhookEvent): void
}
