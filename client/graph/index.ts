export { applyInputs, type InputValues } from './applyInputs';
export { parseInputValues } from './inputValues';
export { isUiFormat, parseGraph } from './parseGraph';
