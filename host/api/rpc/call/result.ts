import type { JsonChunks } from '../../../base/json-chunks.ts'

/** A result that is already JSON. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A result whose JSON is streamed, because it should never be in memory as a whole. */
export class JsonStream {
  readonly chunks: JsonChunks

  constructor(chunks: JsonChunks) {
    this.chunks = chunks
  }
}
