import type { JsonChunks } from '../../../base/json-chunks.ts'

/** A result that is JSON already. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A result whose JSON comes in pieces, for what should never stand in memory whole. */
export class JsonStream {
  readonly chunks: JsonChunks

  constructor(chunks: JsonChunks) {
    this.chunks = chunks
  }
}
