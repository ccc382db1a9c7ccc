/** Id of the input for a step number. */
export const GO_TO_FIELD = 'go-to-step'
