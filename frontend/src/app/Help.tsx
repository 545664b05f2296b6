// SPDX-License-Identifier: Apache-2.0
// What helps and is needed by nobody at first: the tour, the definitions, the foot of the page. Fetched when the page stands.
import { Link } from 'wouter';
import { Definitions } from '../features/glossary/Definitions';
import { TourButton } from '../features/tour/TourButton';
import './Help.css';

export { Tour } from '../features/tour/Tour';

export function Foot({ path }: { path: string }) {
  return (
    <>
      <footer className="foot">
        <Link href="/glossary">Glossary</Link>
        <Link href="/models">Models</Link>
        <TourButton />
      </footer>
      <Definitions path={path} />
    </>
  );
}
