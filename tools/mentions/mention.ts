/** A name in a text: its position, as written. */
export interface Mention {
  /** Path of the file from the root. */
  readonly file: string
  readonly line: number
  readonly text: string
}

/** A mention of something that does not exist. */
export interface BrokenMention extends Mention {
  readonly reason: string
}
