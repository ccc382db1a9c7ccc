/** Reads the body of a response up to a length. @throws Error if it is longer, and errors of the network */
export async function boundedText(response: Response, maxCharacters: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > maxCharacters) {
      throw new Error(`an answer of more than ${maxCharacters} characters`)
    }
  }
  return text + decoder.decode()
}
