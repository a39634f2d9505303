/** A model's input as a form. */
export { bodyOf, type FormValues } from './body';
export { InputError, type InputFault } from './fault';
export { fieldsOf } from './fields';
export { type FilePlace, filePlace, pathOf } from './filePlace';
export { inputTree } from './tree';
export type { Choice, FormField, ObjectNode } from './types';
