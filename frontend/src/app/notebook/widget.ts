// SPDX-License-Identifier: Apache-2.0
// What a notebook loads: a module as anywidget wants it.
import srcdoc from 'virtual:frame';
import { type Model, show } from './show';

export default { render: (place: { model: Model; el: HTMLElement }) => show(srcdoc, place) };
