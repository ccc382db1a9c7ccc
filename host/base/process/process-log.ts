type Write = (message: string, fields?: Readonly<Record<string, unknown>>) => void

/** Where the lines of a program go. */
export interface ProcessLog {
  readonly trace: Write
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
}
