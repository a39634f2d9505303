/** A model's input as a form. */
export { formBody, type FormValues } from './body';
export { InputError, type InputFault } from './inputError';
export { formFields } from './fields';
export { type FilePlace, filePlace, inputPath } from './filePlace';
export { takesSeeds, type SeedField, seedsInBody, withSeedsInBody, withSeedsInForm } from './seeds';
export { inputTree } from './tree';
export type { Choice, FormField, ObjectNode } from './types';
