/** Something that a text names: where it stands, as it is written. */
export interface Mention {
  /** Path of the file from the root. */
  readonly file: string
  readonly line: number
  readonly text: string
}

/** A mention of something that is not there. */
export interface BrokenMention extends Mention {
  readonly reason: string
}
