/** An event: flat JSON with a type. */
export interface OutboxEvent {
  readonly type: string
  readonly [member: string]: unknown
}

/** Events stored until they are delivered. */
export interface WebhookOutbox {
  /** Stores an event within the database transaction of the change that it reports. */
  put(appId: string, event: OutboxEvent): void
}
