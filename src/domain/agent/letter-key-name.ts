/** The variable that holds the secret with which a run signs its letters (letter-proof.ts). */
export const LETTER_KEY = 'FLEET_RUN_KEY'
