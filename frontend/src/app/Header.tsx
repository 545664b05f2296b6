// SPDX-License-Identifier: Apache-2.0
import { Link, useLocation } from 'wouter';
import { currentCopy } from '../api/copy';
import { Icon } from '../components/Icon';
import { chooseTheme, useTheme } from '../components/theme';
import { ExportMenu } from '../features/share/ExportMenu';
import { ShareMenu } from '../features/share/ShareMenu';
import { dropParameter } from '../state/address';
import './Header.css';

const PAGES = [
  { href: '/', label: 'Experiments', within: /^\/($|experiments\/|runs\/|explorer\/)/ },
  { href: '/models', label: 'Models', within: /^\/(models(\/|$)|workshop$)/ },
  { href: '/figures', label: 'Figures', within: /^\/figures(\/|$)/ },
  { href: '/how-it-works', label: 'How it works', within: /^\/how-it-works$/ },
  { href: '/upload', label: 'Upload', within: /^\/upload$/ },
];

export function ThemeButton() {
  const other = useTheme() === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      className="quiet icon"
      aria-label={other === 'dark' ? 'Dark theme' : 'Light theme'}
      onClick={() => {
        chooseTheme(other);
        dropParameter('theme');
      }}
    >
      <Icon name="theme" />
    </button>
  );
}

export function Header() {
  const [path] = useLocation();
  return (
    <header className="bar">
      <Link href="/" className="mark" aria-label="Coalescope, home">
        <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
          <path d="M2 7v6M5.5 7v6M9 7v6M12.5 7v6" stroke="currentColor" strokeOpacity=".55" strokeWidth="1.6" />
          <path d="M17 2v16" stroke="var(--crosshair)" strokeWidth="2" />
        </svg>
        Coalescope
      </Link>
      <nav aria-label="Pages">
        {PAGES.filter(({ href }) => href !== '/upload' || currentCopy() === null).map(({ href, label, within }) => (
          <Link key={href} href={href} aria-current={within.test(path) ? (path === href ? 'page' : 'true') : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      <div className="tools">
        <ShareMenu />
        <ExportMenu />
        <ThemeButton />
      </div>
    </header>
  );
}
