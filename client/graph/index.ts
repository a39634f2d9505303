export { applyInputs, type InputValues, nodesNamed } from './applyInputs';
export { checkDigits } from './checkDigits';
export * from './form';
export { parseInputValues } from './inputValues';
export { nodeTitle } from './nodeTitle';
export { isUiFormat, parseGraph } from './parseGraph';
