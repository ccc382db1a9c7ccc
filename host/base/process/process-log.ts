type Write = (message: string, fields?: Readonly<Record<string, unknown>>) => void

/** Destination of a program's log lines. */
export interface ProcessLog {
  readonly trace: Write
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
}
